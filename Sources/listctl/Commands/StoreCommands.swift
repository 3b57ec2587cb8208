// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

/// `check`: checks the store for damage.
struct CheckCommand: Command {
    static let syntax = CommandSyntax(
        name: "check", group: .daemon, summary: "Look for damage in the daemon's store.",
        discussion: [
            "The command fails if there is damage, no store, or a loss that nobody has acknowledged (listctl losses)."
        ])

    init(_ invocation: Invocation) {}

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let report = StoreReport(dump: try await daemon.dump())
            if context.json {
                Output.writeJSON([
                    "healthy": .boolean(report.isHealthy),
                    "store": .array(element: "s", report.lines.map { .string(String($0)) }),
                ])
            } else {
                for line in report.lines { Output.writeLine(DisplayText.sanitized(String(line))) }
            }
            return report.isHealthy ? .done : .failed
        }
    }
}

/// `backup`: copies the store to a new file.
struct BackupCommand: Command {
    static let syntax = CommandSyntax(
        name: "backup", group: .daemon, summary: "Write a backup of the store into a new file, while listd runs.",
        operands: [.init(name: "FILE", completion: .file)],
        discussion: ["The backup is verified; “listctl restore” goes back to it."])

    private let file: String

    init(_ invocation: Invocation) { file = invocation.operand("FILE") }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            // Swift passes a copy of the path. `FileDescriptor` below takes ownership of the descriptor.
            let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw .failed("the backup “\(file)” cannot be created: \(SystemError.text(errno))")
            }
            do throws(DBusError) {
                try await daemon.backup(to: FileDescriptor(adopting: descriptor))
                return .done
            } catch {
                _ = unsafe unlink(file)  // Swift passes a copy of the path
                throw error
            }
        }
    }
}

/// `restore`: replaces the store by a backup.
struct RestoreCommand: Command {
    static let syntax = CommandSyntax(
        name: "restore", group: .daemon, summary: "Replace the store by a backup, while clients keep running.",
        operands: [.init(name: "FILE", completion: .file)],
        discussion: [
            "listd verifies the backup, restarts, and keeps the earlier store beside the new one. All lists have new "
                + "epochs, so that every client reads them again. A bad file changes nothing."
        ])

    private let file: String

    init(_ invocation: Invocation) { file = invocation.operand("FILE") }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        // Swift passes a copy of the path. `FileDescriptor` below takes ownership of the descriptor.
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .failed("the backup “\(file)” cannot be read: \(SystemError.text(errno))")
        }
        let backup = FileDescriptor(adopting: descriptor)
        let address = try await context.address()
        return try await context.withDaemon { daemon throws(DBusError) in
            let starts = DaemonStarts(at: address)
            defer { starts.close() }
            guard await starts.next() else { throw .failed("listd does not answer") }
            try await daemon.restore(from: backup)
            guard await starts.next() else {
                Output.printMessage("listd has ended; its next start takes the backup")
                return .failed
            }
            return .done
        }
    }
}

/// The starts of listd, beginning with that of the listd that runs.
@DBusActor
private final class DaemonStarts {
    /// How long a start is awaited.
    private static let patience = Duration.seconds(60)

    private let starts: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let client: ListClient

    init(at address: BusAddress) {
        let (starts, continuation) = AsyncStream.makeStream(of: Void.self)
        (self.starts, self.continuation) = (starts, continuation)
        client = ListClient(address: address) { availability in
            if case .available = availability { continuation.yield() }
        }
        client.start()
    }

    /// Waits for the next start; false when it does not come.
    func next() async -> Bool {
        let timer = EventLoop.shared.addTimer(after: Self.patience) { [continuation] in continuation.finish() }
        defer { timer.cancel() }
        for await _ in starts { return true }
        return false
    }

    func close() { client.close() }
}

/// `losses`: prints what the store has lost.
struct LossesCommand: Command {
    static let syntax = CommandSyntax(
        name: "losses", group: .daemon, summary: "Print what the store has lost and nobody has acknowledged.",
        options: [
            .init(name: "acknowledge", summary: "Then acknowledge them, so that they are not shown again.")
        ])

    private let acknowledges: Bool

    init(_ invocation: Invocation) { acknowledges = invocation.has("acknowledge") }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let losses = try await daemon.losses()
            if context.json {
                for loss in losses { Output.writeJSON(["time": .uint64(loss.time), "text": .string(loss.text)]) }
            } else {
                for loss in losses {
                    let time = FieldHint.timeInMicroseconds.text(of: .uint64(loss.time)) ?? ""
                    Output.writeLine("\(time)  \(DisplayText.sanitized(loss.text))")
                }
            }
            if acknowledges { try await daemon.acknowledgeLosses() }
            return .done
        }
    }
}
