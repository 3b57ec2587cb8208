// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListConfiguration
internal import ListKit
internal import ListStore
internal import ListSupport

/// The credentials of peers, and their rights as administrators.
///
/// Administrators are uid 0, the daemon's own user, and, for a single action, users to whom polkit grants it. A
/// user's group memberships are read at most once in ``UnixGroups/freshness``, because the databases may be slow and
/// the bus thread reads them.
@DBusActor
final class Authority {
    /// The answers of polkit.
    let polkit: Polkit
    private let log: Log
    private let ownUser: UInt32
    private var callers: [UInt32: (caller: Caller, expiry: ContinuousClock.Instant)] = [:]
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
        if let entry = callers[user], entry.expiry > now { return entry.caller }
        callers = callers.filter { $0.value.expiry > now }
        let caller = Caller(user: user, groups: UnixGroups.names(ofUser: user))
        callers[user] = (caller, now + UnixGroups.freshness)
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
    func forgetGroups() { (callers, names) = ([:], [:]) }

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

/// The rights of administrators that polkit grants separately: the actions of `org.listd.Listd1.policy`.
enum AdministratorAction: String, CaseIterable {
    /// Create lists if not everybody may, remove other users' lists and write to them, and call methods of their
    /// views.
    case manageLists = "org.listd.listd1.manage-lists"
    /// Load and unload plugins.
    case loadPlugins = "org.listd.listd1.load-plugins"
    /// Reload the configuration, set the log level, restore the store and acknowledge losses.
    case manageDaemon = "org.listd.listd1.manage-daemon"
    /// Read restricted lists, the contents of their views, dumps and backups.
    case inspect = "org.listd.listd1.inspect"
}

/// The client of polkit, which can grant administrators' rights to other users. It is asked asynchronously over the
/// bus.
///
/// An answer is valid until polkit's signal `Changed`, until polkit starts or stops, and at most for ``freshness``.
/// Without polkit, no right is granted. The protocol is that of org.freedesktop.PolicyKit1.Authority(5).
@DBusActor
final class Polkit {
    /// How long a cached answer stays valid.
    static let freshness = Duration.seconds(10)

    private static let name = "org.freedesktop.PolicyKit1"
    private static let path: ObjectPath = "/org/freedesktop/PolicyKit1/Authority"
    private static let interface = "org.freedesktop.PolicyKit1.Authority"

    /// A peer and the action for which it needs a right. Names of peers are never reused.
    private struct Right: Hashable {
        let peer: String
        let action: AdministratorAction
    }

    private struct Question: Hashable {
        let right: Right
        let mayAskUser: Bool
    }

    /// Whether polkit is on the bus.
    private(set) var isAvailable = false
    private let log: Log
    private var authority: RemoteObject?
    private var answers: [Right: (isAllowed: Bool, expiry: ContinuousClock.Instant)] = [:]
    /// The questions that wait for an answer, each with the word that cancels it.
    private var waits: [Question: (cancellation: String, completions: [@DBusActor (Bool) -> Void])] = [:]
    /// A number that increases whenever earlier answers become invalid.
    private var generation = 0
    private var lastCancellation = 0
    /// The peers whose departure is observed.
    private var observedPeers: Set<String> = []
    private var watches: [Subscription] = []

    nonisolated init(log: Log) {
        self.log = log
    }

    /// Uses polkit on this connection from now on.
    func setConnection(_ connection: Connection) async {
        clearAnswers()
        authority = RemoteObject(connection, destination: Self.name, path: Self.path, interface: Self.interface)
        do throws(DBusError) {
            let activatable = try await connection.bus.call("ListActivatableNames", returning: [String].self)
            let canStart = activatable.contains(Self.name)
            let owner = try await connection.watchOwner(of: Self.name) { [weak self] owner in
                self?.isAvailable = canStart || owner != nil
                self?.clearAnswers()
            }
            let rule = MatchRule(sender: Self.name, path: Self.path, interface: Self.interface, member: "Changed")
            let changes = try await connection.subscribe(rule) { [weak self] _ in self?.clearAnswers() }
            watches = [owner, changes]
        } catch {
            isAvailable = false
            log.warning("listd does not use polkit, because polkit cannot be watched on the bus: \(error)")
        }
    }

    /// Returns the cached answer about a peer's right; nil if there is none.
    func cachedAnswer(for peer: Peer, _ action: AdministratorAction) -> Bool? {
        guard let answer = answers[Right(peer: peer.name, action: action)], answer.expiry > .now else { return nil }
        return answer.isAllowed
    }

    /// Asks polkit whether a peer has a right. The completion runs once, asynchronously, even if the peer leaves
    /// before.
    ///
    /// - Parameter mayAskUser: whether polkit may ask the user for a password; there is no time limit then.
    func ask(
        _ peer: Peer, _ action: AdministratorAction, mayAskUser: Bool, _ completion: @escaping @DBusActor (Bool) -> Void
    ) {
        let question = Question(right: Right(peer: peer.name, action: action), mayAskUser: mayAskUser)
        guard waits[question] == nil else {
            waits[question]?.completions.append(completion)
            return
        }
        lastCancellation += 1
        let cancellation = "listd-\(lastCancellation)"
        waits[question] = (cancellation, [completion])
        if observedPeers.insert(peer.name).inserted {
            peer.onDeparture { [weak self] in self?.handleDeparture(of: peer) }
        }
        let (subject, asked) = (Self.subject(of: peer), generation)
        Task { @DBusActor in
            let isAllowed = await isAuthorized(subject, question, cancellation: cancellation)
            guard waits[question]?.cancellation == cancellation else { return }
            // An authentication is valid only once; polkit itself remembers longer ones.
            if asked == generation, !(mayAskUser && isAllowed) { cache(isAllowed, for: question.right) }
            finish(question, isAllowed: isAllowed)
        }
    }

    private typealias Subject = DBusStruct<String, [String: DBusValue]>

    /// Returns polkit's subject for a peer: a bus client by its name, a direct client by its process and its user
    /// from the kernel.
    private static func subject(of peer: Peer) -> Subject {
        guard !(peer.connection?.isBus ?? true), let credentials = peer.credentials else {
            return Subject("system-bus-name", ["name": .string(peer.name)])
        }
        return Subject(
            "unix-process",
            [
                "pid": .uint32(UInt32(clamping: credentials.processID ?? 0)), "start-time": .uint64(0),
                "uid": .int32(Int32(truncatingIfNeeded: credentials.userID)),
            ])
    }

    private func isAuthorized(_ subject: Subject, _ question: Question, cancellation: String) async -> Bool {
        guard let authority else { return false }
        do throws(DBusError) {
            let flags: UInt32 = question.mayAskUser ? 1 : 0
            let answer = try await authority.call(
                "CheckAuthorization", subject, question.right.action.rawValue, [String: String](), flags, cancellation,
                returning: DBusStruct<Bool, Bool, [String: String]>.self,
                timeout: question.mayAskUser ? nil : Connection.defaultTimeout)
            return answer.members.0
        } catch {
            log.warning(
                "polkit did not answer, so \(question.right.action.rawValue) was refused: \(error)",
                .client(question.right.peer), limitedBy: "polkit")
            return false
        }
    }

    private func cache(_ isAllowed: Bool, for right: Right) {
        let now = ContinuousClock.now
        answers = answers.filter { $0.value.expiry > now }
        answers[right] = (isAllowed, now + Self.freshness)
    }

    private func finish(_ question: Question, isAllowed: Bool) {
        for completion in waits.removeValue(forKey: question)?.completions ?? [] { completion(isAllowed) }
    }

    private func clearAnswers() {
        generation += 1
        answers = [:]
    }

    /// Cancels the questions about a departed peer, because it no longer waits for the answers.
    private func handleDeparture(of peer: Peer) {
        observedPeers.remove(peer.name)
        for (question, wait) in waits where question.right.peer == peer.name {
            if question.mayAskUser, let authority {
                Task { @DBusActor in try? await authority.call("CancelCheckAuthorization", wait.cancellation) }
            }
            finish(question, isAllowed: false)
        }
        answers = answers.filter { $0.key.peer != peer.name }
    }
}

// The right of a list to have a source other than push. It is stored, because after a restart polkit, which may
// have granted it, cannot be asked about users that are not connected.

extension AdapterAccess {
    /// Throws if the list has no right to the source.
    func checkSource(_ source: SourceName) throws(ListError) {
        guard source != .push, source.followed == nil, !mayHaveSource else { return }
        throw ListError(
            .accessDenied,
            "only administrators and configuration files may use source \(source.text.quoted), and the list was created by "
                + "user \(owner), who is no administrator; an administrator can create the list again or configure it")
    }

    /// Returns the options to store. They include the right to the source, unless the right follows from the owner or
    /// from a configuration file.
    func storedOptions(_ options: AdapterOptions, isOwnerAdministrator: Bool) -> [String: Value] {
        var values = options.values
        let isDetermined = isConfigured || isOwnerAdministrator
        if options.source != .push, mayHaveSource, !isDetermined { values[Self.grantKey] = .boolean(true) }
        return values
    }

    /// The key of the stored right, which is no valid name of an option.
    fileprivate static let grantKey = "(source granted)"
}

extension StoredAdapter {
    /// Returns the options of a list that a client has created, and whether the right to its source is stored.
    ///
    /// - Throws: `invalidArguments`, naming the option at fault.
    func readOptions() throws(ListError) -> (AdapterOptions, isSourceGranted: Bool) {
        var values = options.dictionary
        let isGranted = values.removeValue(forKey: AdapterAccess.grantKey) == .boolean(true)
        return (try AdapterOptions(values), isGranted)
    }
}

extension Fields {
    /// The values by key.
    var dictionary: [String: Value] { Dictionary(self.map { ($0.key, $0.value) }) { $1 } }
}
