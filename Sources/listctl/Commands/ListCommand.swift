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
            let lists = try await daemon.adapterDescriptions().map(ListDescription.init)
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

    init(_ description: ListDaemonClient.AdapterDescription) {
        name = description.name
        values = description.values
    }

    var state: String { text("state") ?? "" }
    /// Why the list is incomplete; `nil` for users who may not read the list.
    var sourceError: String? { text("source-error") }
    var objects: UInt64 { number("objects") ?? 0 }
    var views: UInt64 { number("views") ?? 0 }
    /// The bytes that the objects count towards their owner's quota; `nil` for users who are not administrators.
    var bytes: UInt64? { number("bytes") }
    var changesPerSecond: Double { Double(number("changes-10s") ?? 0) / 10 }

    static let columns: [TextTable.Column] = [
        .init(title: "NAME", role: { _ in .name }), .init(title: "STATE", role: role(ofState:)), .init(title: "OWNER"),
        .init(title: "OBJECTS", isNumber: true), .init(title: "SIZE", isNumber: true),
        .init(title: "CHANGES/s", isNumber: true), .init(title: "VIEWS", isNumber: true),
        .init(title: "SOURCE", role: { _ in .faint }), .init(title: "REVISION", isNumber: true),
        .init(title: "ITEMS", isNumber: true),
    ]

    var row: [String] {
        [
            name, state, number("owner").flatMap(UInt32.init(exactly:)).map(UserName.ofUser) ?? "", "\(objects)",
            bytes.map { FieldHint.bytes(Double($0)) } ?? "-", FieldHint.decimal(changesPerSecond), "\(views)",
            text("source") ?? "", "\(number("revision") ?? 0)", "\(number("items") ?? 0)",
        ]
    }

    /// The members of the list's JSON object, with the names of `DescribeAdapters`.
    var members: [String: DBusValue] { values.merging(["name": .string(name)]) { $1 } }

    /// Returns the style for the state of a list or plugin.
    static func role(ofState state: String) -> TextStyle.Role {
        switch state {
        case "ready": .good
        case "failed": .bad
        default: .doubtful
        }
    }

    private func text(_ key: String) -> String? {
        guard case .string(let text)? = values[key] else { return nil }
        return text
    }

    private func number(_ key: String) -> UInt64? {
        switch values[key] {
        case .uint64(let number): number
        case .uint32(let number): UInt64(number)
        default: nil
        }
    }
}
