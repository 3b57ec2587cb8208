// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListConfiguration
internal import ListKit
internal import ListSupport

/// Finds the credentials of a peer for access rules.
///
/// Administrators are uid 0, the daemon's own user, and for one action users to whom polkit grants it. Group
/// memberships are read at most once in ``UnixGroups/freshness`` for each user, since the databases may be slow and the
/// bus thread reads them.
@DBusActor
final class Authority {
    private struct Entry {
        var caller: Caller
        var expiry: ContinuousClock.Instant
    }

    /// Whom polkit allows what.
    let polkit: Polkit
    private let log: Log
    private let ownUser: UInt32
    private var entries: [UInt32: Entry] = [:]
    /// The rights that polkit would have to grant to the caller of the call in progress; nil = none was needed yet.
    private var missing: AdministratorAction?
    /// The rights that the user was authenticated for in this call: valid for the call in progress.
    private var lent: (peer: Peer, actions: Set<AdministratorAction>)?

    nonisolated init(log: Log, ownUser: UInt32 = geteuid()) {
        self.log = log
        self.ownUser = ownUser
        polkit = Polkit(log: log)
    }

    /// The peer as a caller.
    ///
    /// - Parameter action: for what it would have to be an administrator; nil = it is not about that.
    /// - Throws: `accessDenied` for a peer that left before anybody could ask who it is.
    func caller(_ peer: Peer, for action: AdministratorAction? = nil) throws(ListError) -> Caller {
        guard let user = peer.credentials?.userID else {
            throw ListError(.accessDenied, "the bus does not say which user \(peer.name) is")
        }
        var caller = caller(user: user)
        guard let action, !caller.isAdministrator else { return caller }
        caller.isAdministrator = isLent(action, to: peer) || polkit.answer(peer, action) == true
        if !caller.isAdministrator { missing = action }
        return caller
    }

    /// The peer, who must be an administrator.
    func administrator(_ call: Call, for action: AdministratorAction) throws(ListError) -> Caller {
        let caller = try caller(call.peer, for: action)
        guard caller.isAdministrator else {
            throw ListError(.accessDenied, "\(call.member) is for administrators, not for user \(caller.user)")
        }
        return caller
    }

    /// A user as a caller, whom polkit has not been asked about.
    func caller(user: UInt32) -> Caller {
        if isAlwaysAdministrator(user) { return Caller(user: user, isAdministrator: true) }
        let now = ContinuousClock.now
        if let entry = entries[user], entry.expiry > now { return entry.caller }
        entries = entries.filter { $0.value.expiry > now }
        let caller = Caller(user: user, groups: UnixGroups.names(ofUser: user))
        entries[user] = Entry(caller: caller, expiry: now + UnixGroups.freshness)
        return caller
    }

    /// Looks up anew which groups users are members of.
    func forgetGroups() { entries = [:] }

    /// Whether a user is an administrator whatever polkit says.
    func isAlwaysAdministrator(_ user: UInt32) -> Bool { user == 0 || user == ownUser }

    private func isLent(_ action: AdministratorAction, to peer: Peer) -> Bool {
        lent.map { $0.peer === peer && $0.actions.contains(action) } ?? false
    }
}

// MARK: - Second thoughts

extension Authority {
    /// Checks a call before its method runs: if it would be refused for a right that polkit may grant, polkit is asked,
    /// and then `again` handles the call once more, which may need a further right.
    func accompany(_ call: Call, again: @escaping @DBusActor (Call) -> Void) {
        missing = nil
        if let user = call.peer.credentials?.userID, isAlwaysAdministrator(user) { return }
        reconsider(call, having: [], again)
    }

    /// Has a refusal of the call looked at, to which polkit has given some rights.
    private func reconsider(
        _ call: Call, having actions: Set<AdministratorAction>, _ again: @escaping @DBusActor (Call) -> Void
    ) {
        call.onFailure { [weak self, weak call] error in
            guard let self, let call else { return false }
            return reconsider(call, error, actions, again)
        }
    }

    /// True when the call will be answered later.
    private func reconsider(
        _ call: Call, _ error: any Error, _ actions: Set<AdministratorAction>,
        _ again: @escaping @DBusActor (Call) -> Void
    ) -> Bool {
        guard error.isRefusal else { return false }
        guard let action = missing, !actions.contains(action), polkit.isAvailable else { return refuse(call, error) }
        missing = nil
        let mayAskUser = call.message.allowInteractiveAuthorization
        guard polkit.answer(call.peer, action) == nil || mayAskUser else { return refuse(call, error) }
        call.onFailure(nil)
        polkit.ask(call.peer, action, mayAskUser: mayAskUser) { [weak self] isAllowed in
            guard let self, isAllowed else {
                _ = self?.refuse(call, error)
                return call.fail(error)
            }
            let actions = actions.union([action])
            reconsider(call, having: actions, again)
            missing = nil
            lent = (call.peer, actions)
            again(call)
            lent = nil
        }
        return true
    }

    private func refuse(_ call: Call, _ error: any Error) -> Bool {
        log.info("\(call.member) was refused: \(error)", .client(call.peer.name), limitedBy: call.peer.userText)
        return false
    }
}

extension Peer {
    /// The user on whose behalf a plugin is called. Callers that left before their user was known count as one user
    /// with an id that no real user has (setuid(2)).
    var pluginCaller: UInt32 { credentials?.userID ?? .max }

    /// Whose messages it causes: a user has as many names on the bus as it likes.
    var userText: String { credentials.map { "user \($0.userID)" } ?? "unknown users" }
}

extension Error {
    /// Whether an administrator would not have got this error.
    fileprivate var isRefusal: Bool {
        if let code = (self as? ListError)?.code { return code == .accessDenied || code == .notOwner }
        return (self as? DBusError)?.standard == .accessDenied
    }
}
