// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// The processes that tests have started and not ended yet. They are killed when the process of the test run exits.
package enum LiveProcesses {
    private static let running = Mutex<Set<Int32>>([])
    private static let atExit: Void = {
        atexit { LiveProcesses.killAll() }
        return ()
    }()

    /// Records a started process. A negative number is a process group, as for kill(2).
    package static func add(_ processID: Int32) {
        _ = atExit
        _ = running.withLock { $0.insert(processID) }
    }

    /// Removes a process that has ended.
    package static func remove(_ processID: Int32) {
        _ = running.withLock { $0.remove(processID) }
    }

    private static func killAll() {
        running.withLock { processes in
            for processID in processes { kill(processID, SIGKILL) }
            processes = []
        }
    }
}
