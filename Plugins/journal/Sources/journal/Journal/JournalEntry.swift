// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// One entry of the journal, with the fields that a list shows.
struct JournalEntry: Equatable, Sendable {
    /// The entry's cursor; journalctl --cursor finds it again.
    var cursor: String
    /// Microseconds since 1970.
    var time: UInt64
    /// Those of ``shownFields`` that the entry has.
    var fields: [String: String]

    /// The journal fields that are read, and their names in an object.
    static let shownFields: [(field: String, key: String)] = [
        ("MESSAGE", "message"), ("SYSLOG_IDENTIFIER", "identifier"), ("_SYSTEMD_UNIT", "unit"), ("UNIT", "about-unit"),
        ("_PID", "pid"), ("_COMM", "command"), ("_HOSTNAME", "host"), ("CODE_FILE", "code-file"),
        ("CODE_LINE", "code-line"), ("CODE_FUNC", "code-function"), ("MESSAGE_ID", "message-id"),
        ("PRIORITY", "priority"),
    ]

    /// Hints for showing its fields.
    static let hints: [String: FieldHint] = ["time": .timeInMicroseconds]

    /// How important it is; an entry without a priority counts as information.
    var priority: JournalPriority { fields["PRIORITY"].flatMap(JournalPriority.init) ?? .info }

    /// The entry as an object of a list; its type is the name of its priority.
    func object() throws(ListError) -> ListObject {
        var values: [String: Value] = [
            "time": .int64(Int64(clamping: time)), "priority": .uint32(UInt32(priority.rawValue)),
        ]
        for (field, key) in Self.shownFields where key != "priority" {
            if let text = fields[field] { values[key] = .string(text) }
        }
        return try ListObject(id: cursor, type: priority.name, fields: try Fields(values))
    }
}
