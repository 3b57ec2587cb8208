// SPDX-License-Identifier: Apache-2.0

/// The connections of a server by user: who is served, and who is there only to be told that there are too many.
///
/// The user is the one that the kernel names when a connection comes, so that connections that have proved nothing count too.
struct ConnectionCounts {
    /// What becomes of a new connection.
    enum Place: Equatable {
        case served
        /// It is told why with its first call, and closed.
        case refused(Server.Refusal)
    }

    /// Connections of all users, and of one, that may be there at once to be told that there are too many.
    static let refusedAtOnce = 16
    static let refusedOfUserAtOnce = 4

    private struct Count {
        var served = 0
        var refused = 0
    }

    private var users: [UInt32: Count] = [:]
    private var all = Count()

    /// Where one more connection of a user belongs; nil = it is to be closed at once.
    ///
    /// - Complexity: O(1)
    func place(for user: UInt32, limit: Int, limitPerUser: Int) -> Place? {
        let own = users[user] ?? Count()
        let refusal: Server.Refusal
        if own.served >= limitPerUser {
            refusal = .connectionsOfUser(limit: limitPerUser)
        } else if all.served >= limit {
            refusal = .connections(limit: limit)
        } else {
            return .served
        }
        guard own.refused < Self.refusedOfUserAtOnce, all.refused < Self.refusedAtOnce else { return nil }
        return .refused(refusal)
    }

    /// Counts a connection in its place.
    mutating func add(_ place: Place, of user: UInt32) { change(place, of: user, by: 1) }

    /// A connection has left its place.
    mutating func remove(_ place: Place, of user: UInt32) { change(place, of: user, by: -1) }

    private mutating func change(_ place: Place, of user: UInt32, by difference: Int) {
        var own = users[user] ?? Count()
        switch place {
        case .served:
            own.served += difference
            all.served += difference
        case .refused:
            own.refused += difference
            all.refused += difference
        }
        users[user] = own.served == 0 && own.refused == 0 ? nil : own
    }
}
