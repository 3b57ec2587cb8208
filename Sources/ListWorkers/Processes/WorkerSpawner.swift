// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dispatch
internal import Glibc
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
        var thread = pthread_t()
        // The thread holds the spawner, which is never freed.
        let own = unsafe Unmanaged.passRetained(self).toOpaque()
        let error = unsafe pthread_create(
            &thread, nil,
            { own in
                unsafe listd_set_name("listd-spawner")
                unsafe own.map { unsafe Unmanaged<WorkerSpawner>.fromOpaque($0).takeUnretainedValue().work() }
                return nil
            }, own)
        if error != 0 { DispatchQueue(label: "org.listd.spawner").async { self.work() } }
    }

    private func work() {
        while true {
            waiting.wait()
            starts.withLock { $0.removeFirst() }()
        }
    }

    /// Runs `start` on the thread, after all that came before.
    func run(_ start: @escaping @Sendable () -> Void) {
        starts.withLock { $0.append(start) }
        waiting.signal()
    }
}
