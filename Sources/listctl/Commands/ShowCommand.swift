// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// `show`: the objects of a list.
struct ShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "show", group: .looking, summary: "Show the objects of a list, all of one revision.",
        operands: [.list],
        options: [
            .init(
                name: "columns", value: "FIELD,FIELD", summary: "Show these fields; one within another is OUTER.INNER."),
            .init(name: "search", value: "TEXT", summary: "Show only objects with TEXT in one of their text fields."),
            .init(name: "items", summary: "Show what the section controllers make of the objects."),
            .init(name: "raw", summary: "Show all fields, and the values as they are, whatever the list's hints say."),
        ],
        discussion: [
            "On a terminal the columns are those that fit into a line, without fields that say the same as ID or TYPE in all "
                + "objects; fields for which there is no room are named on standard error. If the list has failed the reason "
                + "is said there too.",
            "With --json contents are written as in org.listd.Listd1(5), GetObjectsByFileDescriptor; control and format "
                + "characters in them, which would steer a terminal, are escaped as JSON has it (\\u202e).",
        ])

    private let name: String
    private let columns: [String]?
    private let search: String?
    private let showsItems: Bool
    private let isRaw: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        name = invocation.operand("NAME")
        columns = invocation.value(of: "columns")?.split(separator: ",").map(String.init)
        search = invocation.value(of: "search")
        showsItems = invocation.has("items")
        isRaw = invocation.has("raw")
        if columns?.isEmpty == true { throw UsageError(message: "--columns takes the names of fields") }
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let adapter = try await daemon.adapter(name)
            if let search {
                var query = ListQueryText()
                query.contains = search
                let found = try await TransientFilter.make(of: name, query, by: daemon)
                try await show(found.adapter, hintsOf: adapter, in: context)
                await found.remove()
            } else {
                try await show(adapter, hintsOf: adapter, in: context)
            }
            await FailedLists.tell(of: adapter, named: name)
            return .done
        }
    }

    @DBusActor
    private func show(
        _ adapter: RemoteObject, hintsOf base: RemoteObject, in context: CommandContext
    ) async throws(DBusError) {
        if showsItems {
            let items = try await ListedItems(of: adapter)
            if context.json { return items.printJSON() }
            try print(items.rows, leading: ListedItems.columns, hints: try await hints(of: base), context)
        } else {
            let objects = try await ListedObjects(of: adapter)
            if context.json { return objects.printJSON() }
            try print(
                objects.rows, leading: ListedObjects.columns, hints: try await hints(of: base), context)
        }
    }

    @DBusActor
    private func hints(of adapter: RemoteObject) async throws(DBusError) -> [String: FieldHint] {
        isRaw ? [:] : try await AdapterClient(adapter).hints()
    }

    /// Prints rows while they are read; those from which a table takes its columns are read twice.
    @DBusActor
    private func print(
        _ rows: ListedRows, leading: [TextTable.Column], hints: [String: FieldHint], _ context: CommandContext
    ) throws(DBusError) {
        guard rows.count > 0 else {
            if context.style.columns != nil {
                Output.complain(
                    search.map { "nothing in the list “\(name)” contains “\($0)”" } ?? "the list “\(name)” is empty")
            }
            return
        }
        var sample: [ContentTable.Row] = []
        for place in 0..<min(rows.count, ContentTable.sample) { sample.append(try rows.read(place)) }
        let all = isRaw ? Array(Set(sample.flatMap { $0.content.keys })).sorted() : nil
        if let columns {
            KnownFields(of: sample.map(\.content), isWhole: sample.count == rows.count).warn(of: columns)
        }
        let table = ContentTable(
            leading: leading, sample: sample, isWhole: sample.count == rows.count, chosen: columns ?? all,
            texts: FieldTexts(hints: hints),
            style: context.style)
        Output.line(table.heading)
        for place in 0..<rows.count { Output.line(table.line(try rows.read(place))) }
        if !table.hidden.isEmpty {
            Output.complain(
                "no room for \(table.hidden.joined(separator: ", "))" + (columns == nil ? "; --columns chooses" : ""))
        }
    }
}

/// Rows that are read one by one.
struct ListedRows {
    let count: Int
    let read: (Int) throws(DBusError) -> ContentTable.Row
}
