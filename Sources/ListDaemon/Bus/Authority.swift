internal import DBus
internal import Glibc
internal import ListKit

/// Knows who a peer is, as far as access depends on it.
///
/// Administrators are uid 0 and the daemon's own user. Group memberships are looked up once in ``freshness`` for each
/// user: the databases may be slow, and the bus thread asks them.
@DBusActor
final class Authority {
    /// How long an answer of the user database is believed.
    static let freshness = Duration.seconds(10)

    private struct Entry {
        var caller: Caller
        var expiry: ContinuousClock.Instant
    }

    private let ownUser: UInt32
    private var entries: [UInt32: Entry] = [:]

    nonisolated init(ownUser: UInt32 = geteuid()) {
        self.ownUser = ownUser
    }

    /// The peer as a caller.
    ///
    /// - Throws: `accessDenied` for a peer that left before anybody could ask who it is.
    func caller(_ peer: Peer) throws(ListError) -> Caller {
        guard let user = peer.credentials?.userID else {
            throw ListError(.accessDenied, "the bus does not say which user \(peer.name) is")
        }
        return caller(user: user)
    }

    /// The peer, who must be an administrator.
    func administrator(_ peer: Peer, doing action: String) throws(ListError) -> Caller {
        let caller = try caller(peer)
        guard caller.isAdministrator else {
            throw ListError(.accessDenied, "\(action) is for administrators, not for user \(caller.user)")
        }
        return caller
    }

    private func caller(user: UInt32) -> Caller {
        if user == 0 || user == ownUser { return Caller(user: user, isAdministrator: true) }
        let now = ContinuousClock.now
        if let entry = entries[user], entry.expiry > now { return entry.caller }
        entries = entries.filter { $0.value.expiry > now }
        let caller = Caller(user: user, groups: UnixGroups.names(ofUser: user))
        entries[user] = Entry(caller: caller, expiry: now + Self.freshness)
        return caller
    }
}
