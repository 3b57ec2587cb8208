// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient
import ListJSON
import ListProtocol

extension Command {
    /// `list`: prints a table of all lists.
    static let list = Command(
        name: "list", group: .looking, summary: "List the lists, and how they are.",
        discussion: [
            "SIZE is the number of bytes that the objects count towards their owner's quota; only administrators see "
                + "it. CHANGES/s is the mean of the last ten seconds.",
            "Failed lists and plugins, and lists that lack a part of their source, are named on standard error with "
                + "the reason.",
        ]
    ) { _ in
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                let lists = try await daemon.adapters()
                if context.json {
                    for list in lists { Output.writeJSON(list.members) }
                } else {
                    Output.writeTable(ListDaemonClient.AdapterRow.columns, lists.map(\.row), context.style)
                    if lists.isEmpty, context.style.columns != nil {
                        Output.printMessage("there is no list yet; “listctl help create” says how to make one")
                    }
                }
                await daemon.reportFailures(of: lists)
                return .done
            }
        }
    }

    /// `show`: prints the objects or items of a list.
    static let show = Command(
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
        ]
    ) { invocation throws(UsageError) in
        let showing = try Showing(invocation)
        return { context throws(DBusError) in try await showing.run(in: context) }
    }

    /// `filter`: shows the objects of a list that match a query, and their changes.
    static let filter = Command(
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
        ]
    ) { invocation throws(UsageError) in
        let name = invocation.operand("NAME")
        var query = ListQueryText()
        query.contains = invocation.operands("TEXT").first ?? ""
        query.fields = invocation.value(of: "in")?.split(separator: ",").map(String.init) ?? []
        query.type = invocation.value(of: "type")
        if let sort = invocation.value(of: "sort") {
            query.isDescending = sort.hasPrefix("-")
            query.sortField = query.isDescending ? String(sort.dropFirst()) : sort
        }
        query.limit = UInt32(try invocation.number(of: "limit", in: 1...Int(Int32.max)) ?? 0)
        let filter = query
        let isText = query.fields.isEmpty && query.type == nil && !query.contains.isEmpty
        let emptyText =
            "nothing in the list “\(name)” " + (isText ? "contains “\(query.contains)”" : "fits the filter")
        return { context throws(DBusError) in
            let address = try await context.address()
            return try await context.withDaemon { daemon throws(DBusError) in
                let fields = filter.fields + (filter.sortField.map { [$0] } ?? [])
                if !fields.isEmpty {
                    let known = try await KnownFields(of: try await daemon.adapter(name))
                    known.warn(aboutSearched: filter.fields)
                    known.warn(aboutUnknown: filter.sortField.map { [$0] } ?? [])
                }
                let made = try await daemon.createFilter(of: name, matching: filter)
                if Terminal.isInteractive, !context.json {
                    let title = filter.contains.isEmpty ? "\(name), filtered" : "\(name) & \(filter.contains)"
                    return await Viewer(made.name, address, title: title, emptyText: emptyText, marked: filter.contains)
                        .run()
                }
                return await Following(made.name, address, json: context.json, emptyText: emptyText).run()
            }
        }
    }

    /// `view`: shows a list on the terminal.
    static let view = Command(
        name: "view", group: .looking, summary: "Browse a list on the whole terminal; “?” tells the keys.",
        operands: [.list],
        options: [
            .init(
                name: "height", value: "LINES",
                summary: "The number of lines to show when the output is not a terminal: 1 to 10000, by default 24.")
        ],
        discussion: [
            "The viewer draws the slots of a view and holds no copy of the list. When the output is not a terminal, "
                + "or with --json, it prints the first screen and then the changes, as “watch” does.",
            "When listd ends, the viewer waits until listd is back.",
        ]
    ) { invocation throws(UsageError) in
        let name = invocation.operand("NAME")
        let height = try invocation.number(of: "height", in: 1...10_000)
        return { context throws(DBusError) in
            let address = try await context.address()
            _ = try await context.findList(named: name, at: address)
            guard Terminal.isInteractive, !context.json else {
                let first = FirstScreen(rows: height ?? 24, json: context.json)
                return await Following(name, address, json: context.json, firstScreen: first).run()
            }
            return await Viewer(name, address).run()
        }
    }

    /// `watch`: prints the changes of a list.
    static let watch = Command(
        name: "watch", group: .looking, summary: "Print the changes of a list as they come.",
        operands: [.list],
        discussion: [
            "It prints a line for each object that is inserted, removed, moved or changed, with the time and the "
                + "revision. When listd ends or does not answer, a message says so; as soon as listd is back, the "
                + "missed changes are printed.",
            "It ends when the list is removed, or listd comes back without it, and the list is not created again "
                + "within three seconds.",
        ]
    ) { invocation in
        let name = invocation.operand("NAME")
        return { context throws(DBusError) in
            let address = try await context.address()
            _ = try await context.findList(named: name, at: address)
            return await Following(name, address, json: context.json).run()
        }
    }

    /// `monitor`: prints the signals of lists.
    static let monitor = Command(
        name: "monitor", group: .looking, summary: "Print what listd tells of one list, or of all that you may read.",
        operands: [.init(name: "NAME", arity: .optional, completion: .list)],
        discussion: [
            "It prints updates, what views show and prepare, selection and actions, with the time and the revision. "
                + "New lists, and lists that a reload makes readable, are included. It continues when listd is "
                + "started again. With NAME, it ends when that list may not be read any more. With --json, the "
                + "arguments of the signals are printed whole."
        ]
    ) { invocation in
        let name = invocation.operands("NAME").first
        return { context throws(DBusError) in
            let address = try await context.address()
            let path = try await context.findList(named: name, at: address)
            return await Monitor(path, address, json: context.json).run()
        }
    }
}

extension ListDaemonClient.AdapterRow {
    var state: String { values.text("state") ?? "" }
    /// Why the list is incomplete; empty also for users who may not read the list.
    var sourceError: String { values.text("source-error") ?? "" }
    var objects: UInt64 { values.number("objects") ?? 0 }
    var views: UInt64 { values.number("views") ?? 0 }
    var changesPerSecond: Double { Double(values.number("changes-10s") ?? 0) / 10 }

    static let columns: [TextTable.Column] = [
        .init(title: "NAME", role: { _ in .name }), .init(title: "STATE", role: TextStyle.role(ofState:)),
        .init(title: "OWNER"),
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
}

extension TextStyle {
    /// Returns the style for the state of a list or plugin.
    static func role(ofState state: String) -> TextRole {
        switch state {
        case "ready": .good
        case "failed": .bad
        default: .doubtful
        }
    }
}

/// The output of a list's objects or items by `show`.
struct Showing {
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

    @DBusActor
    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let adapter = try await daemon.adapter(name)
            if let search {
                var query = ListQueryText()
                query.contains = search
                let found = try await daemon.createFilter(of: name, matching: query)
                try await printContent(of: found.adapter, withHintsOf: adapter, in: context)
                try? await daemon.removeAdapter(found.name)
            } else {
                try await printContent(of: adapter, withHintsOf: adapter, in: context)
            }
            await daemon.reportFailure(of: adapter, named: name)
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
            try print(
                items.count, items.row, leading: ListedItems.columns, hints: try await hints(of: base), context)
        } else {
            let objects = try await ListedObjects(of: adapter)
            if context.json { return objects.printJSON() }
            try print(
                objects.count, objects.row, leading: ListedObjects.columns, hints: try await hints(of: base), context)
        }
    }

    @DBusActor
    private func hints(of adapter: RemoteObject) async throws(DBusError) -> [String: FieldHint] {
        isRaw ? [:] : try await AdapterClient(adapter).hints()
    }

    /// Prints a table of rows. The first rows are read twice, because they determine the columns.
    @DBusActor
    private func print(
        _ count: Int, _ row: (Int) throws(DBusError) -> ContentTable.ContentRow, leading: [TextTable.Column],
        hints: [String: FieldHint], _ context: CommandContext
    ) throws(DBusError) {
        guard count > 0 else {
            if context.style.columns != nil {
                Output.printMessage(
                    search.map { "nothing in the list “\(name)” contains “\($0)”" } ?? "the list “\(name)” is empty")
            }
            return
        }
        var sample: [ContentTable.ContentRow] = []
        for place in 0..<min(count, ContentTable.sampleSize) { sample.append(try row(place)) }
        let all = isRaw ? Array(Set(sample.flatMap { $0.content.keys })).sorted() : nil
        if let columns {
            KnownFields(of: sample.map(\.content), isWhole: sample.count == count).warn(aboutUnknown: columns)
        }
        let table = ContentTable(
            leading: leading, sample: sample, isWhole: sample.count == count, chosen: columns ?? all,
            texts: FieldTexts(hints: hints),
            style: context.style)
        Output.writeLine(table.heading)
        for place in 0..<count { Output.writeLine(table.line(try row(place))) }
        if !table.hiddenFields.isEmpty {
            Output.printMessage(
                "no room for the fields \(table.hiddenFields.joined(separator: ", "))"
                    + (columns == nil ? "; choose fields with --columns" : ""))
        }
    }
}

/// All objects of a list at one revision.
///
/// listd writes them as lines of JSON to a file in a single call, so a list that changes all the time can be read too.
struct ListedObjects {
    /// The revision of the objects.
    let revision: UInt64
    private let lines: [Data]

    /// Reads the objects of a list.
    ///
    /// - Throws: the error of the call; `failed` when the file cannot be read.
    @DBusActor
    init(of adapter: RemoteObject) async throws(DBusError) {
        let (_, revision, _, file) = try await adapter.call(
            "GetObjectsByFileDescriptor", UInt32(0), UInt32.max, "jsonl", returning: String.self, UInt64.self,
            UInt32.self,
            FileDescriptor.self, timeout: .seconds(3600))
        self.revision = revision
        do {
            // `file` owns the descriptor, and is alive until everything has been read.
            let handle = FileHandle(fileDescriptor: file.rawValue, closeOnDealloc: false)
            try handle.seek(toOffset: 0)
            lines = (try handle.readToEnd() ?? Data()).split(separator: UInt8(ascii: "\n"))
        } catch {
            throw .failed("the objects of the list cannot be read: \(error.localizedDescription)")
        }
    }

    /// Prints the JSON of each object as listd wrote it, with the object's section added and control characters
    /// escaped.
    func printJSON() {
        for (section, line) in lines.enumerated() {
            let members = JSONLine.sanitized(String(decoding: line.dropFirst(), as: UTF8.self))
            Output.writeLine("{\"section\":\(section)," + members)
        }
    }

    static let columns: [TextTable.Column] = [.init(title: "ID", role: { _ in .name }), .init(title: "TYPE")]

    var count: Int { lines.count }

    /// Returns an object as a row of a table.
    func row(_ place: Int) throws(DBusError) -> ContentTable.ContentRow {
        do throws(JSONFault) {
            let object = try MirroredObject(jsonl: lines[place])
            return ContentTable.ContentRow(leading: [object.id, object.type], content: object.fields)
        } catch {
            throw .failed("listd wrote an object that cannot be read")
        }
    }
}

extension MirroredObject {
    /// Reads an object from a line that listd wrote. Fields that are null are left out.
    init(jsonl line: some Sequence<UInt8>) throws(JSONFault) {
        self = try JSONFault.reading(line) { tape throws(JSONFault) in
            guard case .object = tape.node(at: JSONTape.root) else { throw JSONFault() }
            var (id, type, fields): (String?, String?, Content) = (nil, nil, [:])
            try tape.forEachMember(ofObjectAt: JSONTape.root) { key, value throws(JSONFault) in
                switch (tape.text(at: key), tape.node(at: value)) {
                case ("id", .string): id = tape.text(at: value)
                case ("type", .string): type = tape.text(at: value)
                case ("fields", .object): fields = tape.fields(ofObjectAt: value)
                default: throw JSONFault()
                }
            }
            guard let id, let type else { throw JSONFault() }
            return MirroredObject(id: id, type: type, fields: fields)
        }
    }
}

/// All items that the section controllers make for a list's objects.
struct ListedItems {
    /// Section, object ID, index in the object, reuse identifier and content of each item.
    private let items: [(UInt32, String, UInt32, String, Content)]

    static let columns: [TextTable.Column] = [
        .init(title: "SECTION", isNumber: true), .init(title: "ID", role: { _ in .name }),
        .init(title: "ITEM", isNumber: true),
        .init(title: "REUSE", role: { _ in .name }),
    ]

    /// The number of attempts to read all items at the same revision.
    private static let maximumAttempts = 5

    /// Reads the items of a list in several calls. If the list changes between the calls, it starts over. After the
    /// last attempt, items of different revisions are accepted.
    @DBusActor
    init(of adapter: RemoteObject) async throws(DBusError) {
        typealias Row = DBusStruct<UInt32, String, UInt32, String, Content>
        var (items, section, first, attempt) = ([Row](), UInt32(0), UInt64?.none, 1)
        while true {
            let (revision, next, rows) = try await adapter.call(
                "GetItems", section, UInt32.max - section, [String](), returning: UInt64.self, UInt32.self, [Row].self)
            if let first, first != revision, attempt < Self.maximumAttempts {
                (items, section, attempt) = ([], 0, attempt + 1)
            } else {
                items += rows
                guard next > section else { break }
                section = next
            }
            first = revision
        }
        self.items = items.map(\.members)
    }

    var count: Int { items.count }

    /// Returns an item as a row of a table.
    func row(_ place: Int) -> ContentTable.ContentRow {
        let (section, objectID, item, reuseIdentifier, content) = items[place]
        return ContentTable.ContentRow(leading: ["\(section)", objectID, "\(item)", reuseIdentifier], content: content)
    }

    func printJSON() {
        for (section, objectID, item, reuseIdentifier, content) in items {
            Output.writeJSON([
                "section": .uint32(section), "id": .string(objectID), "item": .uint32(item),
                "reuse": .string(reuseIdentifier), "content": content.value,
            ])
        }
    }
}

extension ListDaemonClient {
    /// Creates a list that shows a filtered copy of another list for as long as the connection lasts, and waits until it
    /// is filled. Its name is the followed list's name and the ID of this process.
    func createFilter(
        of list: String, matching query: ListQueryText
    ) async throws(DBusError) -> (name: String, adapter: RemoteObject) {
        let name = "\(list) (listctl \(getpid()))"
        let options = try await FilterList.makeOptions(of: list, matching: query, on: self)
        let path = try await createAdapter(name, options: options)
        let adapter = RemoteObject(connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
        // listd fills the list in the background. The state is polled, because a direct connection gets no signal here.
        while try await adapter.property("State", as: String.self) == "loading" {
            try? await Task.sleep(for: .milliseconds(20))
        }
        return (name, adapter)
    }
}

/// The command-line output of a list's first screen, as lines of text or JSON.
@DBusActor
final class FirstScreen {
    private let json: Bool
    private var isShown = false
    /// The number of times that a refused screen is requested: a worker of a plugin may be starting again.
    private static let attempts = 5
    private static let pause = Duration.seconds(1)

    private let rows: Int
    private var browser: Browser
    /// The error of the last attempt.
    private var failure: DBusError?
    private var view: TerminalView?
    private var completion: CheckedContinuation<Void, Never>?

    init(rows: Int, json: Bool) {
        self.json = json
        self.rows = rows
        browser = Browser(columns: 80, rows: rows)
    }

    /// Opens a view, waits until its picture is complete, prints the picture, and closes the view.
    func printScreen(ofList name: String, on daemon: ListDaemonClient) async {
        // `ListFollower` reports that the list does not exist.
        guard !isShown, let adapter = try? await daemon.adapter(name), !isShown else { return }
        isShown = true
        for attempt in 1...Self.attempts {
            do throws(DBusError) {
                try await printScreen(of: adapter)
                return
            } catch {
                // `ListFollower` also reports that the user may not read the list.
                guard error.standard != .accessDenied else { return }
                Output.printMessage(error.explanation)
                // Without the daemon, the next one gets the attempt.
                if error.standard == .disconnected || error.standard == .serviceUnknown {
                    isShown = false
                    return
                }
            }
            guard attempt < Self.attempts else { return }
            await withCheckedContinuation { pause in
                _ = EventLoop.shared.addTimer(after: Self.pause) { pause.resume() }
            }
        }
    }

    private func printScreen(of adapter: RemoteObject) async throws(DBusError) {
        failure = nil
        browser = Browser(columns: 80, rows: rows)
        let view = try await TerminalView.open(adapter) { [weak self] in self?.handle($0) }
        self.view = view
        await withCheckedContinuation { continuation in
            completion = continuation
            perform(browser.start())
        }
        await view.view.close()
        if let failure { throw failure }
        printPicture()
    }

    private func printPicture() {
        guard json else {
            for line in browser.lines {
                let text = line.trimmingTrailingBlanks
                if !text.isEmpty { Output.writeLine(text) }
            }
            return
        }
        for item in browser.rows.joined() { Output.writeJSON(Self.members(of: item)) }
    }

    /// Returns the members of the JSON object for an item of the screen.
    static func members(of item: Picture.Shown) -> [String: DBusValue] {
        let frame = item.frame
        return [
            "slot": .uint32(item.slot), "id": .string(item.objectID), "section": .uint32(item.section),
            "item": .uint32(item.item), "kind": .string(item.kind), "reuse": .string(item.reuseIdentifier),
            "frame": .structure([.double(frame.x), .double(frame.y), .double(frame.width), .double(frame.height)]),
            "content": item.content.value,
        ]
    }

    private func handle(_ event: ListViewClient.Event) {
        switch event {
        case .changed(let picture): perform(browser.show(picture))
        case .closed: finish()
        case .failed(let error):
            failure = error
            finish()
        }
    }

    /// Makes the calls that the browser requests. The screen is complete when a reply leads to no further call.
    private func perform(_ requests: [ViewerEffect]) {
        for case .setViewport(let y, let width, let height) in requests {
            view?.setViewport(y: y, width: width, height: height) { [weak self] in
                guard let self else { return }
                self.perform(self.browser.handleAnswer())
                if self.browser.hasArrived { self.finish() }
            }
        }
    }

    private func finish() {
        completion?.resume()
        completion = nil
    }
}
