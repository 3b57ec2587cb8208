// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Reads the fields that section controllers show from an entry's object.
struct EntryFields {
    private let fields: Fields

    init(_ object: ListObject) { fields = object.fields }

    private func text(_ key: String) -> String? { fields[key]?.string }

    /// The time of the entry, in microseconds since 1970.
    var time: Int64 { Int64(fields["time"]?.int ?? 0) }

    var message: String { text("message") ?? "" }

    /// The message's first line.
    var firstLine: String { String(message.prefix { !$0.isNewline }) }

    /// The origin of the message: the syslog identifier, else the command or the unit.
    var sender: String { text("identifier") ?? text("command") ?? text("unit") ?? "unknown" }

    /// The origin with its process, as syslog writes it.
    var senderWithProcess: String { text("pid").map { "\(sender)[\($0)]" } ?? sender }

    /// The unit that the entry is about, else the unit that wrote it.
    var unit: String? { text("about-unit") ?? text("unit") }

    /// The location in the source code, such as `main.c:17`.
    var place: String? {
        guard let file = text("code-file") else { return nil }
        return text("code-line").map { "\(file):\($0)" } ?? file
    }

    /// The field MESSAGE_ID, under which the message catalog may have an explanation.
    var messageID: String? { text("message-id") }

    /// The values of the `@NAME@` placeholders in the message catalog's explanations.
    var catalogValues: [String: String] {
        [
            "UNIT": unit, "_SYSTEMD_UNIT": text("unit"), "_PID": text("pid"), "_COMM": text("command"),
            "_HOSTNAME": text("host"), "MESSAGE": message,
        ].compactMapValues { $0 }
    }

    /// The fields that every item of an entry has.
    var shared: Fields {
        var content: Fields = [:]
        for key in ["time", "priority", "unit"] { content[key] = fields[key] }
        return content
    }
}
