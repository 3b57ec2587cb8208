// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes journal files with systemd-journal-remote, systemd's program for the journals of other machines.
///
/// The program writes each entry to the file immediately and notifies readers of the file.
final class JournalWriter {
    private static let program = "/usr/lib/systemd/systemd-journal-remote"

    /// Whether this machine has the program (Debian's package systemd-journal-remote).
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private let process = Process()
    private let input = Pipe()
    private var time: UInt64

    /// Starts the program for a new file.
    init(_ path: String, from time: UInt64 = 1_700_000_000_000_000) throws {
        self.time = time
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["--output=\(path)", "--compress=no", "--seal=no", "-"]
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { end() }

    /// Writes an entry, one second after the previous one (systemd.journal-fields(7), Journal Export Format).
    func write(_ message: String, _ fields: [String: String] = [:]) throws {
        time += 1_000_000
        var text = "__REALTIME_TIMESTAMP=\(time)\n__MONOTONIC_TIMESTAMP=\(time - 1_600_000_000_000_000)\n"
        text += "_BOOT_ID=0123456789abcdef0123456789abcdef\n"
        for (field, value) in fields { text += "\(field)=\(value)\n" }
        var data = Data((text + "MESSAGE\n").utf8)
        // In binary format, so that the message may have several lines.
        let count = UInt64(message.utf8.count)
        data.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) })
        data.append(contentsOf: Array(message.utf8) + Array("\n\n".utf8))
        try input.fileHandleForWriting.write(contentsOf: data)
    }

    /// Kills the program. Entries that it has not read yet are lost.
    ///
    /// Closing the pipe is not enough, as other processes may have inherited its write end. While the program
    /// reads, it ignores SIGTERM.
    func end() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// A temporary directory for journal files of a test; it is removed together with this object.
final class JournalDirectory {
    let path: String

    init() throws {
        path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "journal-plugin.\(UUID().uuidString)").path(percentEncoded: false)
        try make()
    }

    deinit { try? remove() }

    func make() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

    func remove() throws { try FileManager.default.removeItem(atPath: path) }

    func path(of name: String) -> String { "\(path)/\(name).journal" }

    func delete(_ name: String) throws { try FileManager.default.removeItem(atPath: path(of: name)) }
}
