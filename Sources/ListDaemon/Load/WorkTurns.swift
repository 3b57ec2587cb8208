// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch

/// Work that runs on threads other than the event loop's, because its duration depends on a caller. Users take turns.
@DBusActor
final class WorkTurns {
    /// Runs on another thread, and returns the closure that handles the outcome on the event loop's thread.
    private typealias Work = @Sendable () -> @DBusActor @Sendable () -> Void

    private let threads: DispatchQueue
    private let mostAtOnce: Int
    private let isOneForEachUser: Bool
    private var queue = UserTurns<Work>()
    private var underWay = 0

    /// - Parameters:
    ///   - mostAtOnce: the maximum number of pieces of work that run at the same time.
    ///   - isOneForEachUser: whether only one piece of work runs for each user at a time, so that its work stays in
    ///     order.
    nonisolated init(mostAtOnce: Int, isOneForEachUser: Bool, on threads: DispatchQueue) {
        self.threads = threads
        self.mostAtOnce = mostAtOnce
        self.isOneForEachUser = isOneForEachUser
    }

    /// Runs work when it is the user's turn.
    ///
    /// - Parameters:
    ///   - run: called once, on another thread.
    ///   - finish: called afterwards with the output, on the event loop's thread.
    func perform<Output: Sendable>(
        for peer: Peer, _ run: @escaping @Sendable () -> Output,
        finish: @escaping @DBusActor @Sendable (Output) -> Void
    ) {
        let work: Work = {
            let output = run()
            return { finish(output) }
        }
        queue.append(work, user: peer.account, connection: ObjectIdentifier(peer))
        proceed()
    }

    /// Starts queued work, as much as may run at the same time.
    private func proceed() {
        while underWay < mostAtOnce, let piece = queue.popFirst() {
            underWay += 1
            if isOneForEachUser { queue.hold(piece.user) }
            threads.async {
                let finish = piece.element()
                EventLoop.shared.post { self.completeWork(of: piece.user, finish) }
            }
        }
    }

    private func completeWork(of user: UInt32, _ finish: @escaping @DBusActor @Sendable () -> Void) {
        underWay -= 1
        queue.release(user)
        proceed()
        finish()
        // The output can hold hundreds of thousands of objects, so they are freed on another thread.
        threads.async { withExtendedLifetime(finish) {} }
    }
}

extension WorkTurns {
    /// Makes the turns in which large messages are decoded and encoded.
    nonisolated static func forCoding() -> WorkTurns {
        WorkTurns(mostAtOnce: 2, isOneForEachUser: true, on: .global())
    }
}
