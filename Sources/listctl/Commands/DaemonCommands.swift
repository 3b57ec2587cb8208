// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

extension Command {
    /// `reload`: makes listd read its configuration again.
    static let reload = Command(
        name: "reload", group: .daemon, summary: "Have listd read its configuration again.",
        discussion: ["Parts with mistakes are named and left out; the rest takes effect. See listd.conf(5)."]
    ) { _ in
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                _ = try await daemon.manager.call("Reload", timeout: .seconds(120))
                return .done
            }
        }
    }

    /// `clients`: prints a table of the daemon's clients.
    static let clients = Command(
        name: "clients", group: .daemon, summary: "List the programs that call listd; for administrators."
    ) { _ in
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                let clients = try await daemon.clients()
                if context.json {
                    for client in clients { Output.writeJSON(client.members) }
                } else {
                    Output.writeTable(
                        ListDaemonClient.Description.clientColumns, clients.map(\.clientRow), context.style)
                }
                return .done
            }
        }
    }

    /// `statistics`: prints the daemon's counters.
    static let statistics = Command(
        name: "statistics", group: .daemon, summary: "Print the daemon's counters.",
        options: [
            .init(
                name: "prometheus",
                summary:
                    "Print them in the text format of Prometheus, for example for node_exporter's textfile "
                    + "directory.")
        ],
        discussion: ["org.listd.Listd1(5), STATISTICS, says what each counter means."]
    ) { invocation in
        let forPrometheus = invocation.has("prometheus")
        return { context throws(DBusError) in
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
    static let check = Command(
        name: "check", group: .daemon, summary: "Look for damage in the daemon's store.",
        discussion: [
            "The command fails if there is damage, no store, or a loss that nobody has acknowledged (listctl losses)."
        ]
    ) { _ in
        return { context throws(DBusError) in
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
    static let backup = Command(
        name: "backup", group: .daemon, summary: "Write a backup of the store into a new file, while listd runs.",
        operands: [.init(name: "FILE", completion: .file)],
        discussion: ["The backup is verified; “listctl restore” goes back to it."]
    ) { invocation in
        let file = invocation.operand("FILE")
        return { context throws(DBusError) in
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
    static let restore = Command(
        name: "restore", group: .daemon, summary: "Replace the store by a backup, while clients keep running.",
        operands: [.init(name: "FILE", completion: .file)],
        discussion: [
            "listd verifies the backup, restarts, and keeps the earlier store beside the new one. All lists have new "
                + "epochs, so that every client reads them again. A bad file changes nothing."
        ]
    ) { invocation in
        let file = invocation.operand("FILE")
        return { context throws(DBusError) in
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

    /// `losses`: prints what the store has lost.
    static let losses = Command(
        name: "losses", group: .daemon, summary: "Print what the store has lost and nobody has acknowledged.",
        options: [
            .init(name: "acknowledge", summary: "Then acknowledge them, so that they are not shown again.")
        ]
    ) { invocation in
        let acknowledges = invocation.has("acknowledge")
        return { context throws(DBusError) in
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

extension ListDaemonClient.Description {
    /// The columns of a table of clients.
    static let clientColumns: [TextTable.Column] = [
        .init(title: "CLIENT", role: { _ in .name }), .init(title: "COMMAND"), .init(title: "PID", isNumber: true),
        .init(title: "USER"), .init(title: "CALLS/s", isNumber: true), .init(title: "BYTES/s", isNumber: true),
        .init(title: "CALLS", isNumber: true), .init(title: "RECEIVED", isNumber: true),
        .init(title: "VIEWS", isNumber: true), .init(title: "SUBSCRIPTIONS", isNumber: true),
        .init(title: "TRANSPORT"), .init(title: "LAST CALL", role: { _ in .faint }),
    ]

    /// The row of a client.
    var clientRow: [String] {
        func number(_ key: String) -> Double { Double(values.number(key) ?? 0) }
        func whole(_ key: String) -> String { "\(values.number(key) ?? 0)" }
        let last = values.number("last-call").flatMap { FieldHint.timeInMicroseconds.text(of: .uint64($0)) }
        let user = values.number("user").flatMap(UInt32.init(exactly:)) ?? .max
        return [
            name, values.text("command") ?? "", whole("pid"), user == .max ? "-" : FieldHint.userName(user),
            FieldHint.decimal(number("calls-10s") / 10), FieldHint.bytes(number("bytes-10s") / 10), whole("calls"),
            FieldHint.bytes(number("bytes")), whole("views"), whole("subscriptions"), values.text("transport") ?? "",
            last ?? "-",
        ]
    }

    /// The members of the JSON object for a client or plugin.
    var members: [String: DBusValue] { values.merging(["name": .string(name)]) { $1 } }
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
