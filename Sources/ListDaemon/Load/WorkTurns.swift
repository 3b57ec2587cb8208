// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch

/// Work that other threads than the event loop's do, because a caller decides how long it takes: users take turns,
/// which are measured in bytes or in another unit of such work.
@DBusActor
final class WorkTurns {
    /// Runs on another thread, and returns what the event loop's thread does with the outcome.
    private typealias Work = @Sendable () -> @DBusActor @Sendable () -> Void

    private let threads: DispatchQueue
    private let mostAtOnce: Int
    private let isOneForEachUser: Bool
    private var queue: FairQueue<ObjectIdentifier, Work>
    private var underWay = 0

    /// - Parameters:
    ///   - quantum: the size of a turn.
    ///   - mostAtOnce: how many pieces of work are under way together.
    ///   - isOneForEachUser: whether a user has one piece of work under way at a time, so that its work keeps its order.
    nonisolated init(quantum: Int, mostAtOnce: Int, isOneForEachUser: Bool, on threads: DispatchQueue) {
        self.threads = threads
        self.mostAtOnce = mostAtOnce
        self.isOneForEachUser = isOneForEachUser
        queue = FairQueue(quantum: quantum)
    }

    /// Has something done when it is the user's turn.
    ///
    /// - Parameters:
    ///   - size: how long it takes, in what turns are measured in.
    ///   - run: called once, on another thread.
    ///   - finish: called behind it, on the event loop's.
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

    private func proceed() {
        while underWay < mostAtOnce, let piece = queue.popFirst() {
            underWay += 1
            if isOneForEachUser { queue.hold(piece.user) }
            threads.async {
                let finish = piece.element()
                EventLoop.shared.post { self.finished(piece.user, finish) }
            }
        }
    }

    private func finished(_ user: UInt32, _ finish: @escaping @DBusActor @Sendable () -> Void) {
        underWay -= 1
        queue.release(user)
        proceed()
        finish()
        // The result may be hundreds of thousands of objects that nobody needs: they are freed on another thread.
        threads.async { withExtendedLifetime(finish) {} }
    }
}

extension WorkTurns {
    /// Turns messages into values, and values into messages: what is large. Sizes are bytes.
    nonisolated static func forCoding() -> WorkTurns {
        WorkTurns(quantum: 64 << 10, mostAtOnce: 2, isOneForEachUser: true, on: .global())
    }
}
