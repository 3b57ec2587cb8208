// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import Glibc

/// Jobs: work that runs on threads other than the event loop's, because its duration depends on a caller. Users take
/// turns.
@DBusActor
final class Jobs {
    /// Runs on another thread, and returns the closure that handles the outcome on the event loop's thread.
    private typealias Job = @Sendable () -> @DBusActor @Sendable () -> Void

    private let threads: DispatchQueue
    private let mostAtOnce: Int
    private let isOneForEachUser: Bool
    private var queue = UserTurns<Job>()
    private var underWay = 0

    /// - Parameters:
    ///   - mostAtOnce: the maximum number of jobs that run at the same time.
    ///   - isOneForEachUser: whether only one job runs for each user at a time, so that the user's jobs stay in order.
    nonisolated init(mostAtOnce: Int, isOneForEachUser: Bool, on threads: DispatchQueue) {
        self.threads = threads
        self.mostAtOnce = mostAtOnce
        self.isOneForEachUser = isOneForEachUser
    }

    /// Runs a job when it is the user's turn.
    ///
    /// - Parameters:
    ///   - body: called once, on another thread.
    ///   - finish: called afterwards with the output, on the event loop's thread.
    func run<Output: Sendable>(
        for peer: Peer, _ body: @escaping @Sendable () -> Output,
        finish: @escaping @DBusActor @Sendable (Output) -> Void
    ) {
        let job: Job = {
            let output = body()
            return { finish(output) }
        }
        queue.append(job, user: peer.account, connection: ObjectIdentifier(peer))
        proceed()
    }

    /// Starts queued jobs, as many as may run at the same time.
    private func proceed() {
        while underWay < mostAtOnce, let piece = queue.popFirst() {
            underWay += 1
            if isOneForEachUser { queue.hold(piece.user) }
            threads.async {
                let finish = piece.element()
                EventLoop.shared.post { self.complete(of: piece.user, finish) }
            }
        }
    }

    private func complete(of user: UInt32, _ finish: @escaping @DBusActor @Sendable () -> Void) {
        underWay -= 1
        queue.release(user)
        proceed()
        finish()
        // The output can hold hundreds of thousands of objects, so they are freed on another thread.
        threads.async { withExtendedLifetime(finish) {} }
    }
}

extension Jobs {
    /// Makes the jobs that decode and encode large messages.
    nonisolated static func forCoding() -> Jobs {
        Jobs(mostAtOnce: 2, isOneForEachUser: true, on: .global())
    }

    /// Makes the jobs in which searches examine objects. At most half of the processors are used, so that the lists
    /// keep the rest.
    nonisolated static func forSearching() -> Jobs {
        Jobs(
            mostAtOnce: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2),
            isOneForEachUser: false,
            on: DispatchQueue(label: "org.listd.search", qos: .utility, attributes: .concurrent))
    }
}
