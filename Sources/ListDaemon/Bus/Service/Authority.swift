// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListConfiguration
internal import ListKit
internal import ListSupport

/// The credentials of peers, and their rights as administrators.
///
/// Administrators are uid 0, the daemon's own user, and, for a single action, users to whom polkit grants it. A
/// user's group memberships are read at most once in ``UnixGroups/freshness``, because the databases may be slow and
/// the bus thread reads them.
@DBusActor
final class Authority {
    private struct Entry {
        var caller: Caller
        var expiry: ContinuousClock.Instant
    }

    /// The answers of polkit.
    let polkit: Polkit
    private let log: Log
    private let ownUser: UInt32
    private var entries: [UInt32: Entry] = [:]
    private var names: [UInt32: (name: String, expiry: ContinuousClock.Instant)] = [:]
    /// The right that the caller of the call in progress lacks and that polkit could grant; nil = none was needed
    /// yet.
    private var missing: AdministratorAction?
    /// The rights that polkit has granted for the call in progress.
    private var granted: (peer: Peer, actions: Set<AdministratorAction>)?

    nonisolated init(log: Log, ownUser: UInt32 = geteuid()) {
        self.log = log
        self.ownUser = ownUser
        polkit = Polkit(log: log)
    }

    /// Returns the peer as a caller.
    ///
    /// - Parameter action: the action for which the caller has to be an administrator; nil = none.
    /// - Throws: `accessDenied` for a peer that left before its user could be determined.
    func caller(_ peer: Peer, for action: AdministratorAction? = nil) throws(ListError) -> Caller {
        guard let user = peer.credentials?.userID else {
            throw ListError(.accessDenied, "the bus does not know the user of \(peer.name)")
        }
        var caller = caller(user: user)
        guard let action, !caller.isAdministrator else { return caller }
        caller.isAdministrator = isGranted(action, to: peer) || polkit.cachedAnswer(for: peer, action) == true
        if !caller.isAdministrator { missing = action }
        return caller
    }

    /// Returns the caller of a method that only administrators may call.
    func administrator(_ call: Call, for action: AdministratorAction) throws(ListError) -> Caller {
        let caller = try caller(call.peer, for: action)
        guard caller.isAdministrator else {
            throw ListError(
                .accessDenied, "\(call.member) requires an administrator, and user \(caller.user) is not one")
        }
        return caller
    }

    /// Returns a user as a caller, without rights that polkit might grant.
    func caller(user: UInt32) -> Caller {
        if isAlwaysAdministrator(user) { return Caller(user: user, isAdministrator: true) }
        let now = ContinuousClock.now
        if let entry = entries[user], entry.expiry > now { return entry.caller }
        entries = entries.filter { $0.value.expiry > now }
        let caller = Caller(user: user, groups: UnixGroups.names(ofUser: user))
        entries[user] = Entry(caller: caller, expiry: now + UnixGroups.freshness)
        return caller
    }

    /// Returns the name of a user; its number for a user in no database.
    func name(ofUser user: UInt32) -> String {
        let now = ContinuousClock.now
        if let entry = names[user], entry.expiry > now { return entry.name }
        names = names.filter { $0.value.expiry > now }
        let name = UnixGroups.name(ofUser: user) ?? "\(user)"
        names[user] = (name, now + UnixGroups.freshness)
        return name
    }

    /// Clears the cache of names and group memberships.
    func forgetGroups() { (entries, names) = ([:], [:]) }

    /// Returns whether a user is an administrator regardless of polkit.
    func isAlwaysAdministrator(_ user: UInt32) -> Bool { user == 0 || user == ownUser }

    private func isGranted(_ action: AdministratorAction, to peer: Peer) -> Bool {
        granted.map { $0.peer === peer && $0.actions.contains(action) } ?? false
    }
}

// MARK: - Asking polkit

extension Authority {
    /// Prepares a call for authorisation by polkit, before its method runs: if the call fails for lack of a right
    /// that polkit may grant, polkit is asked, and then `again` handles the call once more. A second attempt may need
    /// a further right.
    func authorizeOnRefusal(_ call: Call, again: @escaping @DBusActor (Call) -> Void) {
        missing = nil
        if let user = call.peer.credentials?.userID, isAlwaysAdministrator(user) { return }
        watchForRefusal(of: call, having: [], again)
    }

    /// Watches for a refusal of the call, for which polkit has already granted some rights.
    private func watchForRefusal(
        of call: Call, having actions: Set<AdministratorAction>, _ again: @escaping @DBusActor (Call) -> Void
    ) {
        call.onFailure { [weak self, weak call] error in
            guard let self, let call else { return false }
            return handleRefusal(of: call, error, having: actions, again)
        }
    }

    /// Handles the failure of a call; returns `true` if the call will be answered later, after polkit was asked.
    private func handleRefusal(
        of call: Call, _ error: any Error, having actions: Set<AdministratorAction>,
        _ again: @escaping @DBusActor (Call) -> Void
    ) -> Bool {
        guard error.isRefusal else { return false }
        guard let action = missing, !actions.contains(action), polkit.isAvailable else {
            return logRefusal(of: call, error)
        }
        missing = nil
        let mayAskUser = call.message.allowInteractiveAuthorization
        guard polkit.cachedAnswer(for: call.peer, action) == nil || mayAskUser else {
            return logRefusal(of: call, error)
        }
        call.onFailure(nil)
        polkit.ask(call.peer, action, mayAskUser: mayAskUser) { [weak self] isAllowed in
            guard let self, isAllowed else {
                _ = self?.logRefusal(of: call, error)
                return call.fail(error)
            }
            let actions = actions.union([action])
            watchForRefusal(of: call, having: actions, again)
            missing = nil
            granted = (call.peer, actions)
            again(call)
            granted = nil
        }
        return true
    }

    /// Logs a refusal; returns `false`, because the call is answered with the error now.
    private func logRefusal(of call: Call, _ error: any Error) -> Bool {
        log.info("\(call.member) was refused: \(error)", .client(call.peer.name), limitedBy: call.peer.userText)
        return false
    }
}

extension Peer {
    /// The user on whose behalf a plugin is called. Callers that left before their user was known count as one user,
    /// with an identifier that no real user has (setuid(2)).
    var pluginCaller: UInt32 { credentials?.userID ?? .max }

    /// The key that limits log messages about the peer: its user, because a user can have any number of bus names.
    var userText: String { credentials.map { "user \($0.userID)" } ?? "unknown users" }
}

extension Error {
    /// Whether the error is a refusal that an administrator would not have received.
    fileprivate var isRefusal: Bool {
        if let code = (self as? ListError)?.code { return code == .accessDenied || code == .notOwner }
        return (self as? DBusError)?.standard == .accessDenied
    }
}
