// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import Synchronization

/// A child process.
///
/// Foundation's `Process` is not used because it treats a child as ended when the child closes its inherited
/// descriptors. Services that check for passed sockets do this.
final class SpawnedProcess: Sendable {
    /// The error of a program that could not be started.
    struct StartFailure: Error, CustomStringConvertible {
        let description: String
    }

    let processID: Int32
    private let leadsGroup: Bool
    private let isRunning = Mutex(true)
    private let exit = DispatchGroup()

    /// Starts a program with three standard descriptors, which the caller still owns.
    ///
    /// - Parameters:
    ///   - leadsGroup: Whether the process leads a process group of its own. All signals are then sent to the
    ///     group.
    ///   - whenExited: Called with the exit status, or with the negative number of a signal.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], input: Int32, output: Int32,
        errors: Int32, leadsGroup: Bool = false, whenExited: @escaping @Sendable (Int32) -> Void = { _ in }
    ) throws {
        self.leadsGroup = leadsGroup
        // Some programs crash on purpose, and nobody reads their backtraces.
        let inherited = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let environment = inherited.merging(environment) { $1 }.map { "\($0)=\($1)" }
        processID = try unsafe CStrings.withArray(of: [executable] + arguments) { argv in
            try unsafe CStrings.withArray(of: environment) { envp in
                try unsafe SpawnedProcess.spawn(
                    executable, argv, envp, descriptors: [input, output, errors], leadsGroup: leadsGroup)
            }
        }
        LiveProcesses.add(target)
        exit.enter()
        Thread.detachNewThread { [self] in
            let status = reap()
            LiveProcesses.remove(target)
            exit.leave()
            whenExited(status)
        }
    }

    /// The process or process group to signal, as for kill(2).
    private var target: Int32 { leadsGroup ? -processID : processID }

    /// Sends a signal, unless the process has ended.
    func signal(_ number: Int32) {
        isRunning.withLock { isRunning in
            if isRunning { _ = kill(target, number) }
        }
    }

    /// Kills the process with SIGKILL, and waits until it has ended.
    func stop() {
        signal(SIGKILL)
        exit.wait()
    }

    /// Waits until the process has ended. It is reaped only when no thread can signal its process ID any more.
    ///
    /// - Returns: The exit status, or the negative number of a signal.
    private func reap() -> Int32 {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return isRunning.withLock { isRunning in
            isRunning = false
            var status: Int32 = 0
            unsafe waitpid(processID, &status, 0)
            let signal = status & 0x7f
            return signal == 0 ? (status >> 8) & 0xff : -signal
        }
    }

    private static func spawn(
        _ executable: String, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        _ envp: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, descriptors: [Int32], leadsGroup: Bool
    ) throws -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // libdbus makes this process ignore SIGPIPE, and children inherit the ignored signals.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0  // argument 0, the name of the process
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(group))
        var processID: Int32 = 0
        let result = unsafe posix_spawn(&processID, executable, &actions, &attributes, argv, envp)
        guard result == 0 else {
            throw StartFailure(description: "\(executable) could not be started (errno \(result))")
        }
        return processID
    }
}

/// Passes Swift strings to C as an array of NUL-terminated strings that ends with a null pointer.
private enum CStrings {
    static func withArray<R>(
        of texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws -> R
    ) rethrows -> R {
        var pointers = unsafe texts.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return try unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("the list has one element or more") }
            return try unsafe body(start)
        }
    }
}
