// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListSupport

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

    private struct Answer {
        var isAllowed: Bool
        var expiry: ContinuousClock.Instant
    }

    private struct Wait {
        let cancellation: String
        var completions: [@DBusActor (Bool) -> Void]
    }

    /// Whether polkit is on the bus.
    private(set) var isAvailable = false
    private let log: Log
    private var authority: RemoteObject?
    private var answers: [Right: Answer] = [:]
    private var waits: [Question: Wait] = [:]
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
        waits[question] = Wait(cancellation: cancellation, completions: [completion])
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
        answers[right] = Answer(isAllowed: isAllowed, expiry: now + Self.freshness)
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
