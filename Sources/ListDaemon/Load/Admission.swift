// SPDX-License-Identifier: Apache-2.0

package import DBus
package import ListConfiguration
internal import ListKit
internal import ListSupport

/// Admits calls as far as their users' accounts allow, and has them handled in turns.
///
/// It alone owns the accounts: code that allocates memory for a caller reserves it here first.
@DBusActor
package final class Admission {
    /// Methods that pass at the limits of calls, because they only release what is limited.
    private static let exemptFromCallLimit: Set<String> = ["Ack", "Close", "RemoveAdapter", "Unsubscribe"]

    /// A call with no more of a body is refused for the number of calls alone.
    private static let littleBody = 16 << 10

    private let turns: CallTurns
    private let limitsByUser = LimitsByUser()
    private var accounts = UserAccounts()
    private var rates = CallRates()
    /// How many messages of each user have room and are not complete.
    private var unfinished: [UInt32: Int] = [:]
    /// Called when a user has given bytes back: somebody may wait for them.
    private var onRoom: [@DBusActor () -> Void] = []
    private var roomNotificationIsPosted = false
    /// Sets other limits.
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

    /// - Parameter handle: handles a call whose turn has come.
    init(_ handle: @escaping @DBusActor (Call) -> Void) { turns = CallTurns(handle) }

    /// The limits of one user.
    package func limits(of user: UInt32) -> Limits { limitsByUser.limits(of: user) }

    /// Calls `handler` with the limits of each user that may have its own, when they were found out.
    func onLimits(_ handler: @escaping @DBusActor (UInt32, Limits) -> Void) { limitsByUser.onLimits(handler) }

    /// The calls and bytes that a user has in progress.
    func use(of user: UInt32) -> UserAccounts.Use { accounts.use(of: user) }
    /// How many bytes wait for all users.
    var waitingBytes: Int { accounts.bytes }
    /// How many calls wait for their turn.
    var waitingCalls: Int { turns.count }
}

// MARK: - Calls

extension Admission {
    /// Counts a call and its bytes until it is answered, and has it handled when its turn has come.
    ///
    /// - Throws: `limitsExceeded`, naming the limit; nothing of the call was decoded then.
    func admit(_ call: Call) throws(ListError) {
        let isExempt = Self.exemptFromCallLimit.contains(call.member)
        let user = call.peer.account
        let limits = limits(of: user)
        guard call.peer.callsInFlight <= limits.callsPerConnection || isExempt else {
            throw LimitKey.callsPerConnection.refusal(
                .limitsExceeded, "more than \(limits.callsPerConnection) calls in flight")
        }
        if limits.callsPerSecond > 0, !rates.consume(user, limit: limits.callsPerSecond), !isExempt {
            throw LimitKey.callsPerSecond.refusal(
                .limitsExceeded, "user \(user) makes more than \(limits.callsPerSecond) calls in a second")
        }
        let size = call.message.bodyLength
        do throws(UserAccounts.Refusal) {
            try accounts.beginCall(of: user, limit: limits.callsPerUser, isExempt: isExempt)
        } catch {
            throw error.refusal(of: user)
        }
        do throws(UserAccounts.Refusal) {
            if isExempt || size <= Self.littleBody || call.message.isAccountedFor {
                accounts.adopt(size, for: user)
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
        turns.append(call, size: size)
    }

    /// Keeps the calls of a peer, until one that is under way lets the others follow it.
    func hold(_ peer: Peer) { turns.hold(peer) }

    /// Handles the calls of a peer again.
    func release(_ peer: Peer) { turns.release(peer) }

    /// Forgets what waits for a peer that has left.
    func forget(_ peer: Peer) { turns.forget(peer) }
}

// MARK: - Bytes

extension Admission {
    /// Adds bytes to those of a user, all or none, until they are released; false = there is no room for them now.
    func reserve(_ count: Int, for user: UInt32) -> Bool {
        (try? accounts.reserve(count, for: user, limit: limits(of: user).waitingBytesPerUser)) != nil
    }

    /// Adds bytes that are there whatever the limits say.
    func adopt(_ count: Int, for user: UInt32) { accounts.adopt(count, for: user) }

    /// Releases bytes of a user.
    func release(_ count: Int, of user: UInt32) {
        guard count > 0 else { return }
        accounts.release(count, of: user)
        guard !roomNotificationIsPosted, !onRoom.isEmpty else { return }
        roomNotificationIsPosted = true
        EventLoop.shared.post { [weak self] in self?.notifyRoom() }
    }

    /// Calls `handler` some time after bytes were given back.
    func onRoom(_ handler: @escaping @DBusActor () -> Void) { onRoom.append(handler) }

    private func notifyRoom() {
        roomNotificationIsPosted = false
        for handler in onRoom { handler() }
    }
}

// MARK: - Unfinished messages

extension Admission: IncomingAccount {
    /// With less than this a user counts as one for whom nothing waits.
    private static let littleBytes = 1 << 20

    /// A user's first message is received whatever the limits say, or messages could wait for each other's ends for ever.
    package func reserve(_ bytes: Int, for peer: Peer) -> Bool {
        let user = peer.account
        if !reserve(bytes, for: user) {
            guard unfinished[user] == nil, use(of: user).bytes < Self.littleBytes else { return false }
            adopt(bytes, for: user)
        }
        unfinished[user, default: 0] += 1
        return true
    }

    package func release(_ bytes: Int, of peer: Peer) {
        let user = peer.account
        unfinished[user] = unfinished[user].flatMap { $0 > 1 ? $0 - 1 : nil }
        release(bytes, of: user)
    }
}

extension UserAccounts.Refusal {
    /// The error with a message that names the limit.
    fileprivate func refusal(of user: UInt32) -> ListError {
        switch self {
        case .callsPerUser(let limit):
            LimitKey.callsPerUser.refusal(.limitsExceeded, "user \(user) has \(limit) calls in flight")
        case .bytesPerUser(let limit):
            LimitKey.waitingBytesPerUser.refusal(
                .limitsExceeded, "more than \(limit) bytes would wait for user \(user)")
        case .bytes(let limit):
            LimitKey.waitingBytes.refusal(
                .limitsExceeded, "user \(user) has its share of the \(limit) bytes that may wait for all")
        }
    }
}
