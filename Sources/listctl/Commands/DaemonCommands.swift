// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

/// `reload`: makes listd read its configuration again.
struct ReloadCommand: Command {
    static let syntax = CommandSyntax(
        name: "reload", group: .daemon, summary: "Have listd read its configuration again.",
        discussion: ["Parts with mistakes are named and left out; the rest takes effect. See listd.conf(5)."])

    init(_ invocation: Invocation) {}

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            _ = try await daemon.manager.call("Reload", timeout: .seconds(120))
            return .done
        }
    }
}

/// `clients`: prints a table of the daemon's clients.
struct ClientsCommand: Command {
    static let syntax = CommandSyntax(
        name: "clients", group: .daemon, summary: "List the programs that call listd; for administrators.")

    init(_ invocation: Invocation) {}

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let clients = try await daemon.clients()
            if context.json {
                for client in clients { Output.writeJSON(Self.members(of: client)) }
            } else {
                Output.writeTable(Self.columns, clients.map(Self.row), context.style)
            }
            return .done
        }
    }

    static let columns: [TextTable.Column] = [
        .init(title: "CLIENT", role: { _ in .name }), .init(title: "COMMAND"), .init(title: "PID", isNumber: true),
        .init(title: "USER"), .init(title: "CALLS/s", isNumber: true), .init(title: "BYTES/s", isNumber: true),
        .init(title: "CALLS", isNumber: true), .init(title: "RECEIVED", isNumber: true),
        .init(title: "VIEWS", isNumber: true), .init(title: "SUBSCRIPTIONS", isNumber: true),
        .init(title: "TRANSPORT"), .init(title: "LAST CALL", role: { _ in .faint }),
    ]

    static func row(_ client: ListDaemonClient.ClientRow) -> [String] {
        let values = client.values
        func number(_ key: String) -> Double { Double(values.number(key) ?? 0) }
        func whole(_ key: String) -> String { "\(values.number(key) ?? 0)" }
        let last = values.number("last-call").flatMap { FieldHint.timeInMicroseconds.text(of: .uint64($0)) }
        let user = values.number("user").flatMap(UInt32.init(exactly:)) ?? .max
        return [
            client.name, values.text("command") ?? "", whole("pid"), user == .max ? "-" : UserName.ofUser(user),
            FieldHint.decimal(number("calls-10s") / 10), FieldHint.bytes(number("bytes-10s") / 10), whole("calls"),
            FieldHint.bytes(number("bytes")), whole("views"), whole("subscriptions"), values.text("transport") ?? "",
            last ?? "-",
        ]
    }

    private static func members(of client: ListDaemonClient.ClientRow) -> [String: DBusValue] {
        client.values.merging(["name": .string(client.name)]) { $1 }
    }
}

/// `statistics`: prints the daemon's counters.
struct StatisticsCommand: Command {
    static let syntax = CommandSyntax(
        name: "statistics", group: .daemon, summary: "Print the daemon's counters.",
        options: [
            .init(
                name: "prometheus",
                summary:
                    "Print them in the text format of Prometheus, for example for node_exporter's textfile "
                    + "directory.")
        ],
        discussion: ["org.listd.Listd1(5), STATISTICS, says what each counter means."])

    private let forPrometheus: Bool

    init(_ invocation: Invocation) { forPrometheus = invocation.has("prometheus") }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let counters = try await daemon.statistics()
            if forPrometheus {
                Output.write(PrometheusText(counters).text)
            } else if context.json {
                Output.writeJSON(counters.mapValues { .uint64($0) })
            } else {
                Output.writeTable(
                    [.init(title: "COUNTER", role: { _ in .name }), .init(title: "VALUE", isNumber: true)],
                    counters.sorted { $0.key < $1.key }.map { [$0.key, "\($0.value)"] }, context.style)
            }
            return .done
        }
    }
}

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

/// The section about the store in the text of `Manager.Dump` (org.listd.Listd1(5)).
struct StoreReport {
    /// The lines of the section. The first line says whether the store is intact.
    let lines: [Substring]

    /// Whether there is a store without damage, and without losses that nobody has acknowledged.
    var isHealthy: Bool { lines.count == 1 && lines[0].hasSuffix(", integrity ok") }

    /// Finds the lines of the section. Only adjacent lines are taken, because names that a plugin or client chose may
    /// look like such lines further down.
    init(dump: String) {
        lines = Array(
            dump.split(separator: "\n").drop { !$0.hasPrefix("store: ") }.enumerated()
                .prefix {
                    $0.offset == 0 || $0.element.hasPrefix("store fault: ") || $0.element.hasPrefix("store loss: ")
                }.map(\.element))
    }
}
