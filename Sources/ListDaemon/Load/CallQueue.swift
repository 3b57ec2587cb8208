// SPDX-License-Identifier: Apache-2.0

package import DBus
package import ListConfiguration
internal import ListKit
internal import ListSupport

/// The calls that have arrived and are not handled yet: it admits calls as far as their users' accounts allow, and has
/// them handled in turns. Users take turns, the connections of a user take turns, and the calls of one connection are
/// handled in order.
///
/// Calls are read from the bus even while others wait here, so that slow calls cannot fill the bus's queue to listd.
///
/// Only this class changes the accounts: code that allocates memory for a caller reserves it here first.
@DBusActor
package final class CallQueue {
    /// The methods that are accepted even at the call limits, because they only release limited resources.
    private static let exemptFromCallLimit: Set<String> = ["Ack", "Close", "RemoveAdapter", "Unsubscribe"]

    /// The number of large answers of one connection that are made and sent at the same time: the list is queried for
    /// one while another is sent.
    private static let largeAnswersAtOnce = 2

    /// A call whose body has at most this many bytes is refused only for the number of calls, never for its bytes.
    private static let littleBody = 16 << 10

    private var turns = UserTurns<Call>()
    /// How often the calls of each connection are held back.
    private var holds: [ObjectIdentifier: Int] = [:]
    /// The number of large answers of each connection that are not sent yet.
    private var largeAnswers: [ObjectIdentifier: Int] = [:]
    private let handle: @DBusActor (Call) -> Void
    private let onWait: @DBusActor (_ calls: Int) -> Void
    private lazy var work = LoopWork { [weak self] in self?.handleNext() ?? false }
    private let limitsByUser = LimitsByUser()
    private var accounts = UserAccounts()
    private var rates = CallRates()
    /// The number of incomplete messages of each user for which bytes are reserved.
    private var unfinished: [UInt32: Int] = [:]
    /// The handlers to call when bytes were released, because calls may be waiting for them.
    private var bytesReleasedHandlers: [@DBusActor () -> Void] = []
    private var roomNotificationIsPosted = false
    /// The limits of all users, with the exceptions of single users and groups.
    package var limits: Limits {
        get { limitsByUser.all }
        set {
            limitsByUser.setLimits(newValue)
            accounts.setLimits(
                UserAccounts.Limits(
                    callsPerUser: newValue.callsPerUser, bytesPerUser: newValue.waitingBytesPerUser,
                    bytes: newValue.waitingBytes))
        }
    }

    /// - Parameters:
    ///   - onWait: called with the number of calls that wait for large answers of their connection.
    ///   - handle: handles a call whose turn has come.
    init(onWait: @escaping @DBusActor (_ calls: Int) -> Void, _ handle: @escaping @DBusActor (Call) -> Void) {
        (self.onWait, self.handle) = (onWait, handle)
    }

    /// Returns the limits of one user.
    package func limits(of user: UInt32) -> Limits { limitsByUser.limits(of: user) }

    /// Registers a handler that is called with the limits of a user whenever they were looked up. Without individual
    /// limits in the configuration, it is not called.
    func onLimitsLookup(_ handler: @escaping @DBusActor (UInt32, Limits) -> Void) {
        limitsByUser.onLimitsLookup(handler)
    }

    /// Returns the calls and bytes that a user has in progress.
    func usage(of user: UInt32) -> UserAccounts.Use { accounts.usage(of: user) }
    /// The number of buffered bytes of all users.
    var waitingBytes: Int { accounts.bytes }
    /// The number of calls that wait for their turn.
    var waitingCalls: Int { turns.count }
}

// MARK: - Calls

extension CallQueue {
    /// Counts a call and its bytes until it is answered, and queues it to be handled in its turn. A call that is accepted
    /// at a limit of calls is handled at once: it only releases something, and so no more calls wait than the limit says.
    ///
    /// - Throws: `limitsExceeded`, naming the limit; no part of the call's body was decoded.
    func admit(_ call: Call) throws(ListError) {
        let size = call.message.bodySize
        let isExempt = size <= Self.littleBody && Self.exemptFromCallLimit.contains(call.member)
        let user = call.peer.account
        let limits = limits(of: user)
        let isBeyondConnection = call.peer.callsInFlight > limits.callsPerConnection
        guard !isBeyondConnection || isExempt else {
            throw LimitKey.callsPerConnection.refusal(
                .limitsExceeded,
                "connection \(call.peer.name) has more than \(limits.callsPerConnection) calls in flight")
        }
        if limits.callsPerSecond < Amount.unlimited, !rates.consume(user, limit: limits.callsPerSecond), !isExempt {
            throw LimitKey.callsPerSecond.refusal(
                .limitsExceeded, "user \(user) has made more than \(limits.callsPerSecond) calls within a second")
        }
        do throws(UserAccounts.Refusal) {
            try accounts.beginCall(of: user, limit: limits.callsPerUser, isExempt: isExempt)
        } catch {
            throw error.refusal(of: user)
        }
        do throws(UserAccounts.Refusal) {
            if size <= Self.littleBody || call.message.isAccountedFor {
                accounts.reserveUnchecked(size, for: user)
            } else {
                try accounts.reserve(size, for: user, limit: limits.waitingBytesPerUser)
            }
        } catch {
            accounts.endCall(of: user)
            throw error.refusal(of: user)
        }
        call.onAnswer { [weak self] in
            self?.accounts.endCall(of: user)
            self?.release(size, of: user)
        }
        let isBeyondUser = accounts.usage(of: user).calls > limits.callsPerUser
        if isBeyondConnection || isBeyondUser { handle(call) } else { append(call) }
    }

    /// Appends a call to those of its connection. If few calls wait, it is handled in this turn of the event loop.
    private func append(_ call: Call) {
        if largeAnswers[ObjectIdentifier(call.peer)] == Self.largeAnswersAtOnce { onWait(1) }
        turns.append(call, user: call.peer.account, connection: ObjectIdentifier(call.peer))
        work.begin()
    }

    /// Handles the call that has the turn, if any; returns whether another call has the next turn.
    private func handleNext() -> Bool {
        guard let call = turns.popFirst()?.element else { return false }
        if !call.isAnswered { handle(call) }
        return turns.hasTurn
    }

    /// Holds back the queued calls of a peer until ``release(_:)``, so that they do not overtake a call in progress. A
    /// peer that is held several times is released as often.
    func hold(_ peer: Peer) {
        holds[ObjectIdentifier(peer), default: 0] += 1
        turns.hold(ObjectIdentifier(peer), of: peer.account)
    }

    /// Lets the calls of a peer take turns again.
    func release(_ peer: Peer) {
        let key = ObjectIdentifier(peer)
        holds.decrement(key)
        guard holds[key] == nil else { return }
        turns.release(key, of: peer.account)
        if turns.hasTurn { work.begin() }
    }

    /// Records that a call is about to get an answer of about `size` bytes.
    ///
    /// A client may send hundreds of such calls before it reads the first answer, so answers must not be made as fast
    /// as they are requested. After two large ones, the connection's later calls wait until the first is sent.
    func expectAnswer(to call: Call, size: Int) {
        guard size > Outbox.largestAtOnce else { return }
        let (peer, key) = (call.peer, ObjectIdentifier(call.peer))
        largeAnswers[key, default: 0] += 1
        if largeAnswers[key] == Self.largeAnswersAtOnce {
            hold(peer)
            let waiting = turns.count(for: key, of: peer.account)
            if waiting > 0 { onWait(waiting) }
        }
        call.onAnswer { [weak self, connection = call.connection] in
            let end = { @DBusActor in if let self { self.endLargeAnswer(to: peer) } }
            if !connection.awaitsDrain(end) { end() }
        }
    }

    private func endLargeAnswer(to peer: Peer) {
        let key = ObjectIdentifier(peer)
        if largeAnswers[key] == Self.largeAnswersAtOnce { release(peer) }
        largeAnswers.decrement(key)
    }

    /// Drops the queued calls of a peer that has left, except those that expect no reply.
    func drop(_ peer: Peer) {
        for call in turns.removeAll(for: ObjectIdentifier(peer), of: peer.account) {
            if call.message.noReplyExpected { append(call) } else { call.abandon() }
        }
    }
}

extension Peer {
    /// The user to whose account a connection's calls are charged; unknown users share one account.
    var account: UInt32 { credentials?.userID ?? .max }
}

// MARK: - Bytes

extension CallQueue {
    /// Reserves bytes for a user, all or none, until they are released; returns `false` if there is no room for them
    /// now.
    func reserve(_ count: Int, for user: UInt32) -> Bool {
        (try? accounts.reserve(count, for: user, limit: limits(of: user).waitingBytesPerUser)) != nil
    }

    /// Books bytes that exist already, whatever the limits.
    func reserveUnchecked(_ count: Int, for user: UInt32) { accounts.reserveUnchecked(count, for: user) }

    /// Releases bytes of a user.
    func release(_ count: Int, of user: UInt32) {
        guard count > 0 else { return }
        accounts.release(count, of: user)
        guard !roomNotificationIsPosted, !bytesReleasedHandlers.isEmpty else { return }
        roomNotificationIsPosted = true
        EventLoop.shared.post { [weak self] in self?.callBytesReleasedHandlers() }
    }

    /// Registers a handler that is called some time after bytes were released.
    func onBytesReleased(_ handler: @escaping @DBusActor () -> Void) { bytesReleasedHandlers.append(handler) }

    private func callBytesReleasedHandlers() {
        roomNotificationIsPosted = false
        for handler in bytesReleasedHandlers { handler() }
    }
}

// MARK: - Unfinished messages

extension CallQueue: IncomingAccount {
    /// A user with fewer bytes than this counts as a user without buffered bytes.
    private static let littleBytes = 1 << 20

    /// Reserves bytes for an incoming message. A user's first message is accepted whatever the limits; otherwise
    /// incomplete messages could wait for each other forever.
    package func reserve(_ bytes: Int, for peer: Peer) -> Bool {
        let user = peer.account
        if !reserve(bytes, for: user) {
            guard unfinished[user] == nil, usage(of: user).bytes < Self.littleBytes else { return false }
            reserveUnchecked(bytes, for: user)
        }
        unfinished[user, default: 0] += 1
        return true
    }

    package func release(_ bytes: Int, of peer: Peer) {
        let user = peer.account
        unfinished.decrement(user)
        release(bytes, of: user)
    }
}

extension UserAccounts.Refusal {
    /// Returns the error for the client; its message names the limit.
    fileprivate func refusal(of user: UInt32) -> ListError {
        switch self {
        case .callsPerUser(let limit):
            LimitKey.callsPerUser.refusal(.limitsExceeded, "user \(user) already has \(limit) calls in flight")
        case .bytesPerUser(let limit):
            LimitKey.waitingBytesPerUser.refusal(
                .limitsExceeded, "user \(user) would have more than \(limit) bytes buffered")
        case .bytes(let limit):
            LimitKey.waitingBytes.refusal(
                .limitsExceeded, "user \(user) has used up its share of the \(limit) bytes that all users may buffer")
        }
    }
}
