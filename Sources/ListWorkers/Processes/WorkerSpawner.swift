// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The thread that starts workers.
///
/// Starting a process blocks the caller until the child has run and its program is mapped. On a busy machine that
/// takes tens of milliseconds, which would stall the event loop. The thread lives as long as the daemon, since the
/// kernel kills a worker when the thread that has started it ends (`PR_SET_PDEATHSIG`, prctl(2)).
final class WorkerSpawner: Sendable {
    /// The spawner of this process. Its thread starts with the first use.
    static let shared = WorkerSpawner()

    private let starts = Mutex<[@Sendable () -> Void]>([])
    private let waiting = DispatchSemaphore(value: 0)

    private init() {
        var thread = pthread_t()
        // The thread retains the spawner, which is never released.
        let own = unsafe Unmanaged.passRetained(self).toOpaque()
        let error = unsafe pthread_create(
            &thread, nil,
            { own in
                unsafe listd_set_name("listd-spawner")
                unsafe own.map { unsafe Unmanaged<WorkerSpawner>.fromOpaque($0).takeUnretainedValue().runStarts() }
                return nil
            }, own)
        if error != 0 { DispatchQueue(label: "org.listd.spawner").async { self.runStarts() } }
    }

    private func runStarts() {
        while true {
            waiting.wait()
            starts.withLock { $0.removeFirst() }()
        }
    }

    /// Runs `start` on the thread, after all earlier ones.
    func run(_ start: @escaping @Sendable () -> Void) {
        starts.withLock { $0.append(start) }
        waiting.signal()
    }
}
