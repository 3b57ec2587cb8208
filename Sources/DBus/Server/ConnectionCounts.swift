// SPDX-License-Identifier: Apache-2.0

/// Counts the connections of a server by user: served connections, and refused connections, which only receive an
/// error.
///
/// The user is the one that the kernel reports for a new connection, so unauthenticated connections are counted too.
struct ConnectionCounts {
    /// The decision about a new connection.
    enum Decision: Equatable {
        case served
        /// The first call is answered with the reason, and then the connection is closed.
        case refused(Server.Refusal)
    }

    /// The maximum numbers of refused connections that may be open at the same time, of all users and of one user.
    static let refusedAtOnce = 16
    static let refusedOfUserAtOnce = 4

    private struct Count {
        var served = 0
        var refused = 0
    }

    private var users: [UInt32: Count] = [:]
    private var all = Count()

    /// Decides about a new connection of a user; nil means that it must be closed at once.
    ///
    /// - Complexity: O(1)
    func decide(for user: UInt32, limit: Int, limitPerUser: Int) -> Decision? {
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

    /// Counts a new connection.
    mutating func add(_ decision: Decision, of user: UInt32) { change(decision, of: user, by: 1) }

    /// Removes a closed connection from the counts.
    mutating func remove(_ decision: Decision, of user: UInt32) { change(decision, of: user, by: -1) }

    private mutating func change(_ decision: Decision, of user: UInt32, by difference: Int) {
        var own = users[user] ?? Count()
        switch decision {
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
