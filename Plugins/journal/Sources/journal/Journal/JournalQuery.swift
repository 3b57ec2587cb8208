// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The journal and the entries that a list shows, parsed from the text after the `?` of `journal/entries`.
struct JournalQuery: Equatable, Sendable {
    /// The end of the list at which new entries are added.
    enum Order: String, Sendable {
        case newestFirst = "newest"
        case oldestFirst = "oldest"
    }

    /// The maximum of the option `lines`, more than anybody scrolls through.
    static let maximumCount = 100_000

    /// The directory of the journal's files; `nil` = the system's journal.
    var directory: String?
    /// The units whose entries are shown; if empty, all units.
    var units: [String] = []
    /// The least important priority that is shown; `nil` = all priorities.
    var priority: JournalPriority?
    /// The accepted values by field name. An entry must have one of the values of each field.
    var matches: [String: [String]] = [:]
    /// The maximum number of entries; the newest ones are kept.
    var count = 1000
    var order = Order.newestFirst

    /// Parses an argument.
    ///
    /// - Throws: `invalidArguments` or a setting error, which names the part at fault.
    init(_ text: String) throws {
        let argument = try DataSourceArgument(
            text, isOption: { Self.singleOptions.contains($0) || Self.isAlternative($0) },
            isRepeatable: Self.isAlternative)
        if !argument.subject.isEmpty {
            guard argument.subject.hasPrefix("/"), !argument.subject.utf8.contains(0) else {
                throw ListError(
                    .invalidArguments,
                    "journal/entries takes the absolute path of a directory and options, not \(argument.subject.quoted)"
                )
            }
            directory = argument.subject
        }
        units = argument.values(of: "unit").map { $0.contains(".") ? $0 : "\($0).service" }
        let options = argument.options
        if let text = options["priority"] {
            guard let priority = JournalPriority(text) else {
                throw PluginSettingError(
                    key: "priority", value: text,
                    expected: "emerg, alert, crit, err, warning, notice, info, debug or 0 to 7")
            }
            self.priority = priority
        }
        if let count = try options.integer("lines") {
            guard (1...Self.maximumCount).contains(count) else {
                throw PluginSettingError(key: "lines", value: "\(count)", expected: "1 to \(Self.maximumCount)")
            }
            self.count = count
        }
        if let text = options["order"] {
            guard let order = Order(rawValue: text) else {
                throw PluginSettingError(key: "order", value: text, expected: "newest or oldest")
            }
            self.order = order
        }
        for field in options.values.keys where Self.isField(field) { matches[field] = argument.values(of: field) }
    }

    /// The options that may be given only once.
    private static let singleOptions = ["priority", "lines", "order"]

    /// Returns whether the option may be repeated; an entry must then match one of the values.
    private static func isAlternative(_ option: String) -> Bool { option == "unit" || isField(option) }

    /// Returns whether a name is valid for a journal field (systemd.journal-fields(7)).
    private static func isField(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 == UInt8(ascii: "_")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            } && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(name.utf8.first ?? 0)
    }
}

extension JournalQuery {
    /// One step of building libsystemd's filter (sd_journal_add_match(3)).
    enum FilterStep: Equatable {
        /// A match `FIELD=value`. Consecutive matches of one field are alternatives; those of different fields must
        /// all match.
        case match(String)
        /// A disjunction (OR) of the matches since the last AND and those that follow.
        case or
        /// A conjunction (AND) of all matches before it and all after it.
        case and
    }

    /// The filter of the query, built as journalctl does.
    var filter: [FilterStep] {
        var groups: [[FilterStep]] = []
        let units = Array(units.map(Self.steps(forUnit:)).joined(separator: [.or]))
        if !units.isEmpty { groups.append(units) }
        if let priority {
            groups.append((0...priority.rawValue).map { .match("PRIORITY=\($0)") })
        }
        for (field, values) in matches.sorted(by: { $0.key < $1.key }) {
            groups.append(values.map { .match("\(field)=\($0)") })
        }
        return Array(groups.joined(separator: [.and]))
    }

    /// Returns the filter for messages of a unit's processes, systemd's messages about the unit, and its core
    /// dumps, as `journalctl --unit`.
    private static func steps(forUnit unit: String) -> [FilterStep] {
        [
            .match("_SYSTEMD_UNIT=\(unit)"), .or,
            .match("_PID=1"), .match("UNIT=\(unit)"), .or,
            .match("_UID=0"), .match("OBJECT_SYSTEMD_UNIT=\(unit)"), .or,
            .match("MESSAGE_ID=fc2e22bc6ee647b6b90729ab34a250b1"), .match("_UID=0"), .match("COREDUMP_UNIT=\(unit)"),
        ]
    }
}

/// Identifies the entries that a list of a journal has. It is the cursor of the source.
///
/// Identifiers of entries are journal cursors. The journal still has the list's entries if the oldest one exists
/// and the newest one is exactly ``count`` − 1 entries after it.
struct JournalPlace: Equatable, Sendable {
    /// The number of entries in the list; at least one.
    var count: Int
    /// The identifier of the oldest entry.
    var oldest: String
    /// The identifier of the newest entry.
    var newest: String

    private static let version = "1"

    /// Describes a list's entries.
    ///
    /// - Parameter ids: The identifiers, the oldest first. The result is `nil` if there are none.
    init?(_ ids: [String]) {
        guard let oldest = ids.first, let newest = ids.last else { return nil }
        self.init(count: ids.count, oldest: oldest, newest: newest)
    }

    init(count: Int, oldest: String, newest: String) {
        (self.count, self.oldest, self.newest) = (count, oldest, newest)
    }

    /// The cursor as bytes: version, count, oldest and newest identifier, one on each line.
    var cursor: [UInt8] { Array([Self.version, "\(count)", oldest, newest].joined(separator: "\n").utf8) }

    /// Decodes a cursor. The result is `nil` for a cursor of another version of the plugin.
    init?(cursor: [UInt8]) {
        guard let text = String(validating: cursor, as: UTF8.self) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 4, lines[0] == Self.version, let count = Int(lines[1]), count > 0 else { return nil }
        self.init(count: count, oldest: lines[2], newest: lines[3])
    }
}

/// Keeps track of the newest entries of a journal, up to a maximum number, and creates the events for their list.
struct JournalWindow {
    private let query: JournalQuery
    /// The identifiers of the list's entries, the oldest first.
    private(set) var ids: [String] = []

    init(_ query: JournalQuery) { self.query = query }

    /// Returns the event that replaces the whole list.
    ///
    /// - Parameter entries: The entries, the oldest first. Only the newest are used if there are too many.
    mutating func replace(with entries: [JournalEntry]) throws(ListError) -> DataSourceEvent {
        var objects: [ListObject] = []
        for entry in entries.suffix(query.count) { objects.append(try entry.object()) }
        ids = objects.map(\.id)
        return withProgress(.replace(query.order == .oldestFirst ? objects : objects.reversed()))
    }

    /// Returns the event that adds newer entries, passed with the oldest first.
    mutating func append(_ entries: [JournalEntry]) throws(ListError) -> DataSourceEvent {
        guard entries.count < query.count else { return try replace(with: entries) }
        var upserts: [UpdateRequest.Upsert] = []
        for entry in entries {
            upserts.append(
                UpdateRequest.Upsert(
                    try entry.object(), position: query.order == .oldestFirst ? .last : .first))
        }
        let removed = Array(ids.prefix(max(0, ids.count + entries.count - query.count)))
        ids.removeFirst(removed.count)
        ids += upserts.map(\.object.id)
        return withProgress(.changes(removed: removed, upserts: upserts))
    }

    /// Sets the identifiers of the list's entries when the source was started with a cursor.
    ///
    /// - Parameter ids: The identifiers, the oldest first.
    mutating func resume(with ids: [String]) { self.ids = ids }

    /// Returns the event together with the cursor of the list after it. An empty list has no cursor.
    private func withProgress(_ event: DataSourceEvent) -> DataSourceEvent {
        JournalPlace(ids).map { .upTo($0.progress, event) } ?? event
    }
}

extension JournalPlace {
    /// The progress of the source: this cursor, and the identifier of the newest entry as the position.
    var progress: DataSourceProgress { DataSourceProgress(cursor: cursor, position: newest) }
}
