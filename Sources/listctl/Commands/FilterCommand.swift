// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

/// A list that shows a filtered copy of another list, for as long as the connection lasts.
@DBusActor
struct TransientFilter {
    let name: String
    let adapter: RemoteObject
    private let daemon: ListDaemonClient

    /// Creates a filtered list, and waits until it is filled. Its name is the followed list's name and the ID of this
    /// process.
    static func create(
        of list: String, matching query: ListQueryText, on daemon: ListDaemonClient
    ) async throws(DBusError) -> TransientFilter {
        let name = "\(list) (listctl \(getpid()))"
        let options = try await FilterOptions.makeOptions(of: list, matching: query, on: daemon)
        let path = try await daemon.createAdapter(name, options: options)
        let adapter = RemoteObject(
            daemon.connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
        let filter = TransientFilter(name: name, adapter: adapter, daemon: daemon)
        // listd fills the list in the background. The state is polled, because a direct connection gets no signal here.
        while try await adapter.property("State", as: String.self) == "loading" {
            try? await Task.sleep(for: .milliseconds(20))
        }
        return filter
    }

    /// Removes the list before the connection ends.
    func remove() async { try? await daemon.removeAdapter(name) }

}

/// `filter`: shows the objects of a list that match a query, and their changes.
struct FilterCommand: Command {
    static let syntax = CommandSyntax(
        name: "filter", group: .looking,
        summary: "Browse or follow those objects of a list in whose texts TEXT occurs.",
        operands: [.list, .init(name: "TEXT", arity: .optional)],
        options: [
            .init(name: "in", value: "FIELD,FIELD", summary: "Search these fields only."),
            .init(name: "type", value: "TYPE", summary: "Only objects of this type."),
            .init(name: "sort", value: "FIELD", summary: "Sort by a field; -FIELD sorts in descending order."),
            .init(name: "limit", value: "COUNT", summary: "Only the first COUNT objects."),
        ],
        discussion: [
            "The filter is a list of its own with a source “list:”, which exists as long as the command runs. On a "
                + "terminal it is shown as by “view”, otherwise as by “watch”. “show --search” prints the matching "
                + "objects once."
        ])

    private let name: String
    private let query: ListQueryText

    init(_ invocation: Invocation) throws(UsageError) {
        name = invocation.operand("NAME")
        var query = ListQueryText()
        query.contains = invocation.operands("TEXT").first ?? ""
        query.fields = invocation.value(of: "in")?.split(separator: ",").map(String.init) ?? []
        query.type = invocation.value(of: "type")
        if let sort = invocation.value(of: "sort") {
            query.isDescending = sort.hasPrefix("-")
            query.sortField = query.isDescending ? String(sort.dropFirst()) : sort
        }
        query.limit = UInt32(try invocation.number(of: "limit", in: 1...Int(Int32.max)) ?? 0)
        self.query = query
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        let address = try await context.address()
        return try await context.withDaemon { daemon throws(DBusError) in
            let fields = query.fields + (query.sortField.map { [$0] } ?? [])
            if !fields.isEmpty {
                let known = try await KnownFields(of: try await daemon.adapter(name))
                known.warn(aboutSearched: query.fields)
                known.warn(aboutUnknown: query.sortField.map { [$0] } ?? [])
            }
            let made = try await TransientFilter.create(of: name, matching: query, on: daemon)
            if Terminal.isInteractive, !context.json {
                let title = query.contains.isEmpty ? "\(name), filtered" : "\(name) & \(query.contains)"
                return await Viewer(made.name, address, title: title, emptyText: emptyText, marked: query.contains)
                    .run()
            }
            return await Following(made.name, address, json: context.json, emptyText: emptyText).run()
        }
    }

    /// The message that is shown when no object matches.
    private var emptyText: String {
        let isText = query.fields.isEmpty && query.type == nil && !query.contains.isEmpty
        return "nothing in the list “\(name)” " + (isText ? "contains “\(query.contains)”" : "fits the filter")
    }
}
