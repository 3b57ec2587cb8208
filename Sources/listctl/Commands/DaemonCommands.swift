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
