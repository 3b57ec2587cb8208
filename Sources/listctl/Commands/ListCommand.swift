// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// `list`: prints a table of all lists.
struct ListCommand: Command {
    static let syntax = CommandSyntax(
        name: "list", group: .looking, summary: "List the lists, and how they are.",
        discussion: [
            "SIZE is the number of bytes that the objects count towards their owner's quota; only administrators see "
                + "it. CHANGES/s is the mean of the last ten seconds.",
            "Failed lists and plugins, and lists that lack a part of their source, are named on standard error with "
                + "the reason.",
        ])

    init(_ invocation: Invocation) {}

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let lists = try await daemon.adapters().map(ListDescription.init)
            if context.json {
                for list in lists { Output.writeJSON(list.members) }
            } else {
                Output.writeTable(ListDescription.columns, lists.map(\.row), context.style)
                if lists.isEmpty, context.style.columns != nil {
                    Output.printMessage("there is no list yet; “listctl help create” says how to make one")
                }
            }
            await FailedLists.reportAll(lists, of: daemon)
            return .done
        }
    }
}

/// listd's description of one list.
struct ListDescription: Sendable {
    let name: String
    private let values: [String: DBusValue]

    init(_ row: ListDaemonClient.AdapterRow) {
        name = row.name
        values = row.values
    }

    var state: String { values.text("state") ?? "" }
    /// Why the list is incomplete; empty also for users who may not read the list.
    var sourceError: String { values.text("source-error") ?? "" }
    var objects: UInt64 { values.number("objects") ?? 0 }
    var views: UInt64 { values.number("views") ?? 0 }
    var changesPerSecond: Double { Double(values.number("changes-10s") ?? 0) / 10 }

    static let columns: [TextTable.Column] = [
        .init(title: "NAME", role: { _ in .name }), .init(title: "STATE", role: role(ofState:)), .init(title: "OWNER"),
        .init(title: "OBJECTS", isNumber: true), .init(title: "SIZE", isNumber: true),
        .init(title: "CHANGES/s", isNumber: true), .init(title: "VIEWS", isNumber: true),
        .init(title: "SOURCE", role: { _ in .faint }), .init(title: "REVISION", isNumber: true),
        .init(title: "ITEMS", isNumber: true),
    ]

    var row: [String] {
        [
            name, state, values.text("owner-name") ?? "", "\(objects)",
            values.number("bytes").map { FieldHint.bytes(Double($0)) } ?? "-", FieldHint.decimal(changesPerSecond),
            "\(views)", values.text("source") ?? "", "\(values.number("revision") ?? 0)",
            "\(values.number("items") ?? 0)",
        ]
    }

    /// The members of the list's JSON object, with the names of `ListAdapters`.
    var members: [String: DBusValue] { values.merging(["name": .string(name)]) { $1 } }

    /// Returns the style for the state of a list or plugin.
    static func role(ofState state: String) -> TextStyle.Role {
        switch state {
        case "ready": .good
        case "failed": .bad
        default: .doubtful
        }
    }
}
