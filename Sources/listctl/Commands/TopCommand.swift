import DBus
import Glibc
import ListClient

/// `top`: lists and clients as they change.
struct TopCommand: Command {
    static let syntax = CommandSyntax(
        name: "top", group: .looking, summary: "Show the busiest lists and clients, again and again.",
        options: [
            .init(name: "delay", value: "SECONDS", summary: "How long to wait in between: 1 to 3600, without it 2."),
            .init(name: "count", value: "NUMBER", summary: "End after so many times; without it at Ctrl-C."),
        ],
        discussion: ["Clients are shown to administrators."])

    private let delay: Int
    private let count: Int?

    init(_ invocation: Invocation) throws(UsageError) {
        delay = try invocation.number(of: "delay", in: 1...3600) ?? 2
        count = try invocation.number(of: "count", in: 1...1_000_000_000)
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            Output.endWithReader()
            var shown = 0
            while true {
                let lists = try await daemon.adapterDescriptions().map(ListDescription.init)
                // Others than administrators see the lists alone.
                let clients = try? await daemon.clients()
                if context.json {
                    for list in lists { Output.json(list.members) }
                } else {
                    Self.show(lists, clients, in: context.style)
                }
                shown += 1
                if shown == count { return .done }
                try? await Task.sleep(for: .seconds(delay))
            }
        }
    }

    /// Writes over what the last time wrote; what does not fit is left out, so that nothing scrolls.
    @DBusActor
    private static func show(_ lists: [ListDescription], _ clients: [ListDaemonClient.ClientRow]?, in style: TextStyle)
    {
        let height = style.columns == nil ? Int.max : Terminal.size().rows
        let busiest = lists.sorted {
            ($1.changesPerSecond, $1.views, $1.objects) < ($0.changesPerSecond, $0.views, $0.objects)
        }
        let callers = clients?.sorted { ($1.numbers["calls-10s"] ?? 0) < ($0.numbers["calls-10s"] ?? 0) }
        let objects = lists.reduce(0) { $0 + $1.objects }
        var lines = [
            style.painted("listd", .name)
                + "  \(counted(lists.count, "list")), \(counted(objects, "object")), "
                + counted(lists.reduce(0) { $0 + $1.views }, "view")
                + (clients.map { ", " + counted($0.count, "client") } ?? ""), "",
        ]
        let room = height == .max ? Int.max : max(1, (height - lines.count - 4) / (callers == nil ? 1 : 2))
        lines += table(ListDescription.columns, busiest.prefix(room).map(\.row), style)
        if let callers {
            lines += [""] + table(ClientsCommand.columns, callers.prefix(room).map(ClientsCommand.row), style)
        }
        let isTerminal = style.columns != nil
        let end = isTerminal ? "\u{1B}[K\n" : "\n"
        Output.write(
            (isTerminal ? "\u{1B}[H" : "") + lines.joined(separator: end) + end + (isTerminal ? "\u{1B}[J" : ""))
    }

    private static func counted(_ number: some BinaryInteger, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func table(_ columns: [TextTable.Column], _ rows: [[String]], _ style: TextStyle) -> [String] {
        let rows = rows.map { row in row.map { DisplayText.harmless($0) } }
        let table = TextTable(columns, for: rows, style: style)
        return [table.heading] + rows.map { table.line($0) }
    }
}
