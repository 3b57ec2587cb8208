// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// The processes that tests have started and not yet ended: they die with the test run, whichever way it ends.
package enum LiveProcesses {
    private static let running = Mutex<Set<Int32>>([])
    private static let atExit: Void = {
        atexit { LiveProcesses.killAll() }
        return ()
    }()

    /// Notes a process that was started; a negative number is that of a process group, as for kill(2).
    package static func add(_ processID: Int32) {
        _ = atExit
        _ = running.withLock { $0.insert(processID) }
    }

    /// Forgets one that has ended.
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
