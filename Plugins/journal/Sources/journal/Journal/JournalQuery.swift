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
