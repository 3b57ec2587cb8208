// SPDX-License-Identifier: Apache-2.0

/// The connections of a server by user: those that are served, and those that are only told that there are too many.
///
/// The user is the one that the kernel reports when a connection is made, so that unauthenticated connections count
/// too.
struct ConnectionCounts {
    /// The decision about a new connection.
    enum Place: Equatable {
        case served
        /// Its first call gets the reason, and it is closed.
        case refused(Server.Refusal)
    }

    /// The numbers of connections, of all users and of one, that may wait at once to be told that there are too many.
    static let refusedAtOnce = 16
    static let refusedOfUserAtOnce = 4

    private struct Count {
        var served = 0
        var refused = 0
    }

    private var users: [UInt32: Count] = [:]
    private var all = Count()

    /// The decision about one more connection of a user; nil = close it at once.
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

    /// Counts a connection that has left.
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
