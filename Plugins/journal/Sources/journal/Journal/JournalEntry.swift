// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// One entry of the journal, with the fields that a list shows.
struct JournalEntry: Equatable, Sendable {
    /// The entry's cursor, with which `journalctl --cursor` finds it again.
    var cursor: String
    /// The time of the entry, in microseconds since 1970.
    var time: UInt64
    /// The fields of the entry that are among ``shownFields``, by the journal's names.
    var fields: [String: String]

    /// The journal fields that are read, and their names in an object.
    static let shownFields: [(field: String, key: String)] = [
        ("MESSAGE", "message"), ("SYSLOG_IDENTIFIER", "identifier"), ("_SYSTEMD_UNIT", "unit"), ("UNIT", "about-unit"),
        ("_PID", "pid"), ("_COMM", "command"), ("_HOSTNAME", "host"), ("CODE_FILE", "code-file"),
        ("CODE_LINE", "code-line"), ("CODE_FUNC", "code-function"), ("MESSAGE_ID", "message-id"),
        ("PRIORITY", "priority"),
    ]

    /// Hints for viewers on how to format the fields.
    static let hints: [String: FieldHint] = ["time": .timeInMicroseconds]

    /// The priority of the entry; `info` if it has none.
    var priority: JournalPriority { fields["PRIORITY"].flatMap(JournalPriority.init) ?? .info }

    /// Returns the entry as an object of a list. The object's type is the name of the priority.
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
