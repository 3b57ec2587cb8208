import Foundation
import Glibc
import TestSupport

/// A dbus-daemon at a fixed address, which is killed and started again in a test.
final class MortalBus: Sendable {
    /// The address, without the identity that each start has anew.
    let address: String
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "mortal-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        address = "unix:path=\(directory.path)/bus"
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Starts the daemon and returns, with its process id, when it listens.
    func start() throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
        process.arguments = ["--session", "--nofork", "--nopidfile", "--print-address=1", "--address=\(address)"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        LiveProcesses.add(process.processIdentifier)
        guard !output.fileHandleForReading.availableData.isEmpty else {
            throw ListdProcess.Failure("dbus-daemon did not start at \(address)")
        }
        return process.processIdentifier
    }

    /// Kills the daemon without a warning.
    func kill(_ process: Int32) {
        Glibc.kill(process, SIGKILL)
        LiveProcesses.remove(process)
        try? FileManager.default.removeItem(at: directory.appending(path: "bus"))
    }
}
