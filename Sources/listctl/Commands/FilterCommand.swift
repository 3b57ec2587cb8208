import DBus
import Glibc
import ListClient

/// What a list made from another one keeps of it (org.listd.Listd1(5), SOURCES).
struct ListFilter: Sendable {
    var text = ""
    var fields: [String] = []
    var type: String?
    var sort: String?
    var limit: Int?

    /// The part of a `list:` source behind `?`.
    var argument: String {
        var pairs: [String] = []
        if !text.isEmpty { pairs.append("contains=" + Self.encoded(text)) }
        if !fields.isEmpty { pairs.append("in=" + fields.map(Self.encoded).joined(separator: ",")) }
        if let type { pairs.append("type=" + Self.encoded(type)) }
        if let sort { pairs.append("sort=" + Self.encoded(sort)) }
        if let limit { pairs.append("limit=\(limit)") }
        return pairs.joined(separator: "&")
    }

    /// The source that follows a list of this name.
    func source(of list: String) -> String {
        "list:" + Self.encoded(list) + (argument.isEmpty ? "" : "?" + argument)
    }

    /// Text with all but letters, digits, `-`, `.`, `_` and `~` as `%XX`.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                return String(Unicode.Scalar(byte))
            case let byte:
                let digits = String(byte, radix: 16, uppercase: true)
                return "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }.joined()
    }
}

/// A list that follows another one for as long as the connection lasts.
@DBusActor
struct TransientFilter {
    let name: String
    let adapter: RemoteObject
    private let daemon: ListDaemonClient

    /// Makes one; its name is that of the list with the number of this process behind it.
    static func make(
        of list: String, _ filter: ListFilter, by daemon: ListDaemonClient
    ) async throws(DBusError) -> TransientFilter {
        let name = "\(list) (listctl \(getpid()))"
        let options: [String: DBusValue] = [
            "source": .string(filter.source(of: list)), "transient": .boolean(true), "durability": .string("memory"),
        ]
        let path = try await daemon.createAdapter(name, options: options)
        let adapter = RemoteObject(
            daemon.connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
        let filter = TransientFilter(name: name, adapter: adapter, daemon: daemon)
        // The first pass over the other list runs beside everything else.
        var state = try await adapter.property("State", as: String.self)
        while state == "loading" { state = try await filter.nextState() }
        return filter
    }

    /// Removes it before the connection ends.
    func remove() async { try? await daemon.removeAdapter(name) }

    private func nextState() async throws(DBusError) -> String { try await adapter.property("State", as: String.self) }
}

/// `filter`: some objects of a list, as they come and go.
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
                + "by “view”, otherwise as by “watch”."
        ])

    private let name: String
    private let filter: ListFilter

    init(_ invocation: Invocation) throws(UsageError) {
        name = invocation.operand("NAME")
        filter = ListFilter(
            text: invocation.operands("TEXT").first ?? "",
            fields: invocation.value(of: "in")?.split(separator: ",").map(String.init) ?? [],
            type: invocation.value(of: "type"), sort: invocation.value(of: "sort"),
            limit: try invocation.number(of: "limit", in: 1...Int(Int32.max)))
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        let address = try await context.address()
        return try await context.withDaemon { daemon throws(DBusError) in
            let made = try await TransientFilter.make(of: name, filter, by: daemon)
            if Terminal.isInteractive, !context.json { return await Viewer(made.name, address).run() }
            return await Following(made.name, address, json: context.json).run()
        }
    }
}
