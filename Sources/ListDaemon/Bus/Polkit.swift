// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListSupport

/// polkit, which can give administrators' rights to other users: asked over the bus, without waiting.
///
/// An answer is valid until `Changed`, until polkit appears or leaves, and for ``freshness`` at most. Without polkit no
/// right is granted. The protocol is that of org.freedesktop.PolicyKit1.Authority(5).
@DBusActor
final class Polkit {
    /// How long an answer is believed.
    static let freshness = Duration.seconds(10)

    private static let name = "org.freedesktop.PolicyKit1"
    private static let path: ObjectPath = "/org/freedesktop/PolicyKit1/Authority"
    private static let interface = "org.freedesktop.PolicyKit1.Authority"

    /// Who wants to do what. Names of peers are never used again.
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
    /// Grows with each reason not to believe what was answered before it.
    private var generation = 0
    private var lastCancellation = 0
    /// Peers whose departure is waited for.
    private var followed: Set<String> = []
    private var watches: [Subscription] = []

    nonisolated init(log: Log) {
        self.log = log
    }

    /// Asks on this connection from now on.
    func use(_ connection: Connection) async {
        forgetAnswers()
        authority = RemoteObject(connection, destination: Self.name, path: Self.path, interface: Self.interface)
        do throws(DBusError) {
            let activatable = try await connection.bus.call("ListActivatableNames", returning: [String].self)
            let canStart = activatable.contains(Self.name)
            let owner = try await connection.watchOwner(of: Self.name) { [weak self] owner in
                self?.isAvailable = canStart || owner != nil
                self?.forgetAnswers()
            }
            let rule = MatchRule(sender: Self.name, path: Self.path, interface: Self.interface, member: "Changed")
            let changes = try await connection.subscribe(rule) { [weak self] _ in self?.forgetAnswers() }
            watches = [owner, changes]
        } catch {
            isAvailable = false
            log.warning("polkit cannot be followed, so it is not asked: \(error)")
        }
    }

    /// What it is known to say, without asking anybody; nil = it is not known.
    func answer(_ peer: Peer, _ action: AdministratorAction) -> Bool? {
        guard let answer = answers[Right(peer: peer.name, action: action)], answer.expiry > .now else { return nil }
        return answer.isAllowed
    }

    /// Asks whether a peer may do something; the completion runs once, later, also when the peer leaves before.
    ///
    /// - Parameter mayAskUser: whether the user may be asked for a password, for which there is no time limit.
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
        if followed.insert(peer.name).inserted { peer.onDeparture { [weak self] in self?.departed(peer) } }
        let (subject, asked) = (Self.subject(of: peer), generation)
        Task { @DBusActor in
            let isAllowed = await check(subject, question, cancellation)
            guard waits[question]?.cancellation == cancellation else { return }
            // An authentication is valid once; polkit itself remembers longer ones.
            if asked == generation, !(mayAskUser && isAllowed) { remember(isAllowed, question.right) }
            finish(question, isAllowed)
        }
    }

    private typealias Subject = DBusStruct<String, [String: DBusValue]>

    /// A connection of the bus by its name, a direct one by its process and the user that the kernel names.
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

    private func check(_ subject: Subject, _ question: Question, _ cancellation: String) async -> Bool {
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
                "polkit does not answer, so \(question.right.action.rawValue) is refused: \(error)",
                .client(question.right.peer), limitedBy: "polkit")
            return false
        }
    }

    private func remember(_ isAllowed: Bool, _ right: Right) {
        let now = ContinuousClock.now
        answers = answers.filter { $0.value.expiry > now }
        answers[right] = Answer(isAllowed: isAllowed, expiry: now + Self.freshness)
    }

    private func finish(_ question: Question, _ isAllowed: Bool) {
        for completion in waits.removeValue(forKey: question)?.completions ?? [] { completion(isAllowed) }
    }

    private func forgetAnswers() {
        generation += 1
        answers = [:]
    }

    /// The caller no longer waits for the answer, so authentication is cancelled.
    private func departed(_ peer: Peer) {
        followed.remove(peer.name)
        for (question, wait) in waits where question.right.peer == peer.name {
            if question.mayAskUser, let authority {
                Task { @DBusActor in try? await authority.call("CancelCheckAuthorization", wait.cancellation) }
            }
            finish(question, false)
        }
        answers = answers.filter { $0.key.peer != peer.name }
    }
}
