// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

/// `top`: shows the busiest lists and clients, and updates them regularly.
struct TopCommand: Command {
    static let syntax = CommandSyntax(
        name: "top", group: .looking, summary: "Show the busiest lists and clients, again and again.",
        options: [
            .init(name: "delay", value: "SECONDS", summary: "The time between two updates: 1 to 3600, by default 2."),
            .init(
                name: "count", value: "NUMBER",
                summary: "End after NUMBER updates; by default only at q or "
                    + "Ctrl-C."),
        ],
        discussion: [
            "On a terminal, it overwrites its previous output, and q ends it. Only administrators see the clients."
        ])

    private let delay: Int
    private let count: Int?

    init(_ invocation: Invocation) throws(UsageError) {
        delay = try invocation.number(of: "delay", in: 1...3600) ?? 2
        count = try invocation.number(of: "count", in: 1...1_000_000_000)
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            Output.exitWhenReaderCloses()
            let screen = context.json ? nil : RefreshedScreen()
            defer { screen?.close() }
            var shown = 0
            while true {
                let lists = try await daemon.adapters().map(ListDescription.init)
                // Users who are not administrators see the lists only.
                let clients = try? await daemon.clients()
                if context.json {
                    for list in lists { Output.writeJSON(list.members) }
                } else {
                    let rows = screen == nil ? Int.max : Terminal.size().rows
                    let style = TextStyle(
                        isColored: context.style.isColored, columns: screen.map { _ in Terminal.size().columns })
                    let lines = Self.lines(lists, clients, rows: rows, style)
                    if let screen { screen.show(lines) } else { lines.forEach(Output.writeLine) }
                }
                shown += 1
                if shown == count { return .done }
                if let screen {
                    if let code = await screen.wait(.seconds(delay)) { return code }
                } else {
                    try? await Task.sleep(for: .seconds(delay))
                }
            }
        }
    }

    /// Returns the lines of one screen. Rows that do not fit are left out, so that the terminal does not scroll.
    @DBusActor
    private static func lines(
        _ lists: [ListDescription], _ clients: [ListDaemonClient.ClientRow]?, rows: Int, _ style: TextStyle
    ) -> [String] {
        let busiest = lists.sorted {
            ($1.changesPerSecond, $1.views, $1.objects) < ($0.changesPerSecond, $0.views, $0.objects)
        }
        let callers = clients?.sorted { ($1.values.number("calls-10s") ?? 0) < ($0.values.number("calls-10s") ?? 0) }
        let objects = lists.reduce(0) { $0 + $1.objects }
        let heading =
            "listd  \(countText(lists.count, "list")), \(countText(objects, "object")), "
            + countText(lists.reduce(0) { $0 + $1.views }, "view")
            + (clients.map { ", " + countText($0.count, "client") } ?? "")
        // The key is always shown at the end of the line; the counts before it are cut if necessary.
        let key = rows == .max ? "" : "  q quits"
        let fitted = style.columns.map { DisplayText.fitted(heading, to: max(5, $0 - key.count)) + key } ?? heading
        var lines = [style.painted("listd", .name) + fitted.dropFirst(5), ""]
        // Subtracts the two headings and the empty line between the tables.
        let room = rows == .max ? Int.max : max(1, rows - lines.count - (callers == nil ? 1 : 3))
        let shownLists = min(busiest.count, callers == nil ? room : max(room / 2, room - (callers?.count ?? 0)))
        lines += table(ListDescription.columns, busiest.prefix(shownLists).map(\.row), style)
        if let callers {
            let rows = callers.prefix(max(0, room == .max ? .max : room - shownLists)).map(ClientsCommand.row)
            lines += [""] + table(ClientsCommand.columns, rows, style)
        }
        return Array(lines.prefix(rows))
    }

    private static func countText(_ number: some BinaryInteger, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func table(_ columns: [TextTable.Column], _ rows: [[String]], _ style: TextStyle) -> [String] {
        let rows = rows.map { row in row.map { DisplayText.sanitized($0) } }
        let table = TextTable(columns, for: rows, style: style)
        return [table.heading] + rows.map { table.line($0) }
    }
}
