// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import DBus
internal import Glibc
package import ListKit
internal import ListSupport

/// The program that is started as a worker.
package struct WorkerExecutable: Sendable {
    /// Its path.
    package let path: String

    /// This very program, even when its file was replaced meanwhile.
    package static let thisProgram = WorkerExecutable(path: "/proc/self/exe")

    /// Names another one, as tests do.
    package init(path: String) {
        self.path = path
    }

    /// Variables that are the daemon's own business.
    private static let withheld: Set = [
        "NOTIFY_SOCKET", "INVOCATION_ID", "JOURNAL_STREAM", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
        "STATE_DIRECTORY", "RUNTIME_DIRECTORY", "WATCHDOG_PID", "WATCHDOG_USEC", "SWIFT_BACKTRACE",
    ]

    /// Starts it; it gets the memory for breadcrumbs as its descriptor 3, and no other but the standard ones.
    ///
    /// - Parameters:
    ///   - name: what ps(1) shows it as.
    ///   - hasNetwork: whether it keeps the network, where the daemon has given it up.
    ///   - output: its standard output and standard error.
    /// - Returns: the process id.
    package func start(
        as name: String, address: String, hasNetwork: Bool, writingTo output: FileDescriptor,
        passing memory: FileDescriptor
    ) throws(ListError) -> Int32 {
        // The crash of a worker ends at once: nobody reads its backtrace, and lists wait for the next process.
        let environment = Self.environment + ["SWIFT_BACKTRACE=enable=no"]
        let process = unsafe Self.withCStrings([name, "--worker", address]) { arguments in
            unsafe Self.withCStrings(environment) { variables in
                hasNetwork && listd_has_spawner() == 1
                    ? unsafe listd_spawn_with_network(path, arguments, variables, output.rawValue, memory.rawValue)
                    : unsafe listd_spawn(path, arguments, variables, output.rawValue, memory.rawValue)
            }
        }
        guard process > 0 else {
            throw ListError(.pluginFailed, "no worker can be started: \(path)", cause: SystemError.text(errno))
        }
        return process
    }

    private static var environment: [String] {
        Environment.variables.filter { !withheld.contains($0.key) }.map { "\($0)=\($1)" }
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Result
    ) -> Result {
        // Copies that live until `body` is done, and a null pointer after them.
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
