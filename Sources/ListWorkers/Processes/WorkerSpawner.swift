// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Dispatch
internal import Glibc
internal import ListKit
internal import ListSupport
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

    /// The program of this process, even when its file was replaced meanwhile.
    package static let thisProgram = "/proc/self/exe"

    /// Environment variables that concern only the daemon, and that workers do not get.
    private static let withheld: Set = [
        "NOTIFY_SOCKET", "INVOCATION_ID", "JOURNAL_STREAM", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
        "STATE_DIRECTORY", "RUNTIME_DIRECTORY", "WATCHDOG_PID", "WATCHDOG_USEC", "SWIFT_BACKTRACE",
        Confinement.writablePaths,
    ]

    /// Starts a worker on the thread, after all earlier ones. It inherits the standard descriptors, and its end of the link
    /// as descriptor 3, but no other ones.
    ///
    /// - Parameters:
    ///   - program: the path of the program.
    ///   - name: the name that ps(1) shows.
    ///   - workersEnd: the worker's end of its link.
    ///   - hasNetwork: whether the worker may use the network although the daemon may not.
    ///   - writablePaths: the files and directories that the worker may change.
    ///   - output: the standard output and standard error of the worker.
    ///   - completion: called with the process id.
    func start(
        _ program: String, as name: String, linkedBy workersEnd: FileDescriptor, hasNetwork: Bool,
        writablePaths: [String],
        writingTo output: FileDescriptor, completion: @escaping @DBusActor @Sendable (Result<Int32, ListError>) -> Void
    ) {
        run {
            // A crashed worker must end at once, without a backtrace, as its lists wait for the next process.
            let environment =
                Self.environment + ["SWIFT_BACKTRACE=enable=no"]
                + (writablePaths.isEmpty
                    ? [] : ["\(Confinement.writablePaths)=\(writablePaths.joined(separator: "\n"))"])
            let process = unsafe Self.withCStrings([name, "--worker", "fd:3"]) { arguments in
                unsafe Self.withCStrings(environment) { variables in
                    hasNetwork && listd_has_spawner() == 1
                        ? unsafe listd_spawn_with_network(
                            program, arguments, variables, output.rawValue, workersEnd.rawValue)
                        : unsafe listd_spawn(program, arguments, variables, output.rawValue, workersEnd.rawValue)
                }
            }
            let outcome: Result<Int32, ListError> =
                process > 0
                ? .success(process)
                : .failure(
                    ListError(
                        .pluginFailed, "a worker could not be started: \(program.shortenedPath)",
                        cause: SystemError.text(errno)))
            EventLoop.shared.post { completion(outcome) }
        }
    }

    private func run(_ start: @escaping @Sendable () -> Void) {
        starts.withLock { $0.append(start) }
        waiting.signal()
    }

    private static var environment: [String] {
        Environment.variables.filter { !withheld.contains($0.key) }.map { "\($0)=\($1)" }
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Result
    ) -> Result {
        // Copies that are freed after `body`, with a null pointer as the end of the array.
        var copies = unsafe [UnsafeMutablePointer<CChar>?]()
        for string in strings { unsafe copies.append(strdup(string)) }
        unsafe copies.append(nil)
        defer { unsafe Self.free(copies) }
        return unsafe copies.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }

    private static func free(_ copies: [UnsafeMutablePointer<CChar>?]) {
        for index in unsafe copies.indices { unsafe Glibc.free(copies[index]) }
    }
}
