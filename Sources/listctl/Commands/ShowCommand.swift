// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// `show`: prints the objects or items of a list.
struct ShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "show", group: .looking, summary: "Show the objects of a list, all of one revision.",
        operands: [.list],
        options: [
            .init(
                name: "columns", value: "FIELD,FIELD", summary: "Show these fields; a nested field is OUTER.INNER."),
            .init(name: "search", value: "TEXT", summary: "Show only objects with TEXT in one of their text fields."),
            .init(name: "items", summary: "Show the items that the section controllers make for the objects."),
            .init(name: "raw", summary: "Show all fields with unchanged values, and ignore the list's hints."),
        ],
        discussion: [
            "On a terminal, only the columns that fit into a line are shown, without fields that equal ID or TYPE in "
                + "all objects. The fields for which there is no room are named on standard error. If the list has "
                + "failed, the reason is printed there too.",
            "With --json, contents are written as described in org.listd.Listd1(5), GetObjectsByFileDescriptor. "
                + "Control and format characters, which could control a terminal, are escaped as in JSON (\\u202e).",
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
                let found = try await TransientFilter.create(of: name, matching: query, on: daemon)
                try await printContent(of: found.adapter, withHintsOf: adapter, in: context)
                await found.remove()
            } else {
                try await printContent(of: adapter, withHintsOf: adapter, in: context)
            }
            await FailedLists.report(adapter, named: name)
            return .done
        }
    }

    @DBusActor
    private func printContent(
        of adapter: RemoteObject, withHintsOf base: RemoteObject, in context: CommandContext
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

    /// Prints a table of rows. The first rows are read twice, because they determine the columns.
    @DBusActor
    private func print(
        _ rows: ListedRows, leading: [TextTable.Column], hints: [String: FieldHint], _ context: CommandContext
    ) throws(DBusError) {
        guard rows.count > 0 else {
            if context.style.columns != nil {
                Output.printMessage(
                    search.map { "nothing in the list “\(name)” contains “\($0)”" } ?? "the list “\(name)” is empty")
            }
            return
        }
        var sample: [ContentTable.Row] = []
        for place in 0..<min(rows.count, ContentTable.sampleSize) { sample.append(try rows.read(place)) }
        let all = isRaw ? Array(Set(sample.flatMap { $0.content.keys })).sorted() : nil
        if let columns {
            KnownFields(of: sample.map(\.content), isWhole: sample.count == rows.count).warn(aboutUnknown: columns)
        }
        let table = ContentTable(
            leading: leading, sample: sample, isWhole: sample.count == rows.count, chosen: columns ?? all,
            texts: FieldTexts(hints: hints),
            style: context.style)
        Output.writeLine(table.heading)
        for place in 0..<rows.count { Output.writeLine(table.line(try rows.read(place))) }
        if !table.hiddenFields.isEmpty {
            Output.printMessage(
                "no room for the fields \(table.hiddenFields.joined(separator: ", "))"
                    + (columns == nil ? "; choose fields with --columns" : ""))
        }
    }
}

/// The rows of a table, which are read one by one.
struct ListedRows {
    let count: Int
    let read: (Int) throws(DBusError) -> ContentTable.Row
}
