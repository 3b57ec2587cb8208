// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

/// A list that follows another one for as long as the connection lasts.
@DBusActor
struct TransientFilter {
    let name: String
    let adapter: RemoteObject
    private let daemon: ListDaemonClient

    /// Makes one; its name is that of the followed list with the number of this process.
    static func make(
        of list: String, _ query: ListQueryText, by daemon: ListDaemonClient
    ) async throws(DBusError) -> TransientFilter {
        let name = "\(list) (listctl \(getpid()))"
        let options = try await FilterOptions.make(of: list, query, by: daemon)
        let path = try await daemon.createAdapter(name, options: options)
        let adapter = RemoteObject(
            daemon.connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
        let filter = TransientFilter(name: name, adapter: adapter, daemon: daemon)
        // The first pass over the followed list runs in the background; on a direct connection no signal tells its end.
        while try await adapter.property("State", as: String.self) == "loading" {
            try? await Task.sleep(for: .milliseconds(20))
        }
        return filter
    }

    /// Removes it before the connection ends.
    func remove() async { try? await daemon.removeAdapter(name) }

}

/// `filter`: some objects of a list, and their changes.
struct FilterCommand: Command {
    static let syntax = CommandSyntax(
        name: "filter", group: .looking,
        summary: "Browse or follow those objects of a list in whose texts TEXT occurs.",
        operands: [.list, .init(name: "TEXT", arity: .optional)],
        options: [
            .init(name: "in", value: "FIELD,FIELD", summary: "Look into these fields only."),
            .init(name: "type", value: "TYPE", summary: "Only objects of this type."),
            .init(name: "sort", value: "FIELD", summary: "In the order of a field; -FIELD turns it round."),
            .init(name: "limit", value: "COUNT", summary: "Only the first ones."),
        ],
        discussion: [
            "The filter is a list of its own (a source “list:”) that lives as long as the command. On a terminal it is shown as "
                + "by “view”, otherwise as by “watch”; “show --search” prints what there is once."
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
                known.warn(ofSearched: query.fields)
                known.warn(of: query.sortField.map { [$0] } ?? [])
            }
            let made = try await TransientFilter.make(of: name, query, by: daemon)
            if Terminal.isInteractive, !context.json {
                let title = query.contains.isEmpty ? "\(name), filtered" : "\(name) & \(query.contains)"
                return await Viewer(made.name, address, title: title, emptyText: emptyText, marked: query.contains)
                    .run()
            }
            return await Following(made.name, address, json: context.json, emptyText: emptyText).run()
        }
    }

    /// The text in place of a list without objects.
    private var emptyText: String {
        let isText = query.fields.isEmpty && query.type == nil && !query.contains.isEmpty
        return "nothing in the list “\(name)” " + (isText ? "contains “\(query.contains)”" : "fits the filter")
    }
}
