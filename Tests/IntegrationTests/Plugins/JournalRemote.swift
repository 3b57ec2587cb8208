// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A writer of journal files that runs systemd's own program, systemd-journal-remote.
final class JournalRemote {
    private static let program = "/usr/lib/systemd/systemd-journal-remote"

    /// Whether the program is installed (Debian's package systemd-journal-remote).
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private let process = Process()
    private let input = Pipe()
    private var time: UInt64 = 1_700_000_000_000_000

    /// Starts the program, which creates a journal file.
    init(file: String) throws {
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["--output=\(file)", "--compress=no", "--seal=no", "-"]
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { end() }

    /// Writes an entry with a one-line message (systemd.journal-fields(7), Journal Export Format).
    func write(_ message: String, priority: Int) throws {
        time += 1_000_000
        let entry = """
            __REALTIME_TIMESTAMP=\(time)
            __MONOTONIC_TIMESTAMP=\(time - 1_600_000_000_000_000)
            _BOOT_ID=0123456789abcdef0123456789abcdef
            PRIORITY=\(priority)
            MESSAGE=\(message)


            """
        try input.fileHandleForWriting.write(contentsOf: Data(entry.utf8))
    }

    /// Ends the program. Entries that the program has not read yet are lost.
    ///
    /// Closing the program's input is not enough, because processes started in the meantime may have inherited the
    /// writing end of the pipe. SIGTERM is not enough, because the program ignores it while it reads.
    func end() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
