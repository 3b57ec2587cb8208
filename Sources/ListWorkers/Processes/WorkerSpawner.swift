// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import Synchronization

/// The thread that starts workers.
///
/// Who starts a process waits until the machine has had a processor free for it and its program is mapped: on a busy machine
/// that takes tens of milliseconds, in which the event loop has others to serve. The thread lives as long as the daemon,
/// for the kernel ends a worker with the thread that has started it (`PR_SET_PDEATHSIG`, prctl(2)).
final class WorkerSpawner: Sendable {
    /// The one of this process; its thread starts with the first use.
    static let shared = WorkerSpawner()

    private let starts = Mutex<[@Sendable () -> Void]>([])
    private let waiting = DispatchSemaphore(value: 0)

    private init() {
        let thread = Thread { [self] in
            while true {
                waiting.wait()
                starts.withLock { $0.removeFirst() }()
            }
        }
        thread.name = "listd-spawner"
        thread.start()
    }

    /// Runs `start` on the thread, after all that came before.
    func run(_ start: @escaping @Sendable () -> Void) {
        starts.withLock { $0.append(start) }
        waiting.signal()
    }
}
