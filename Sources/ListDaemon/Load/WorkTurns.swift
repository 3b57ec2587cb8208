// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch

/// Work that runs on threads other than the event loop's, because its duration depends on a caller. Users take turns,
/// measured in bytes or another unit of work.
@DBusActor
final class WorkTurns {
    /// Runs on another thread, and returns the closure that handles the outcome on the event loop's thread.
    private typealias Work = @Sendable () -> @DBusActor @Sendable () -> Void

    private let threads: DispatchQueue
    private let mostAtOnce: Int
    private let isOneForEachUser: Bool
    private var queue: FairQueue<ObjectIdentifier, Work>
    private var underWay = 0

    /// - Parameters:
    ///   - quantum: the size of a turn.
    ///   - mostAtOnce: the maximum number of pieces of work that run at the same time.
    ///   - isOneForEachUser: whether only one piece of work runs for each user at a time, so that its work stays in
    ///     order.
    nonisolated init(quantum: Int, mostAtOnce: Int, isOneForEachUser: Bool, on threads: DispatchQueue) {
        self.threads = threads
        self.mostAtOnce = mostAtOnce
        self.isOneForEachUser = isOneForEachUser
        queue = FairQueue(quantum: quantum)
    }

    /// Runs work when it is the user's turn.
    ///
    /// - Parameters:
    ///   - size: the amount of work, in the unit of the turns.
    ///   - run: called once, on another thread.
    ///   - finish: called afterwards with the output, on the event loop's thread.
    func perform<Output: Sendable>(
        for peer: Peer, size: Int, _ run: @escaping @Sendable () -> Output,
        finish: @escaping @DBusActor @Sendable (Output) -> Void
    ) {
        let work: Work = {
            let output = run()
            return { finish(output) }
        }
        queue.append(work, size: size, user: peer.account, connection: ObjectIdentifier(peer))
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
    /// Makes the turns in which large messages are decoded and encoded. Sizes are bytes.
    nonisolated static func forCoding() -> WorkTurns {
        WorkTurns(quantum: 64 << 10, mostAtOnce: 2, isOneForEachUser: true, on: .global())
    }
}
