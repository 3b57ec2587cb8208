// SPDX-License-Identifier: Apache-2.0

internal import CJournal
internal import Glibc

/// An explanation from systemd's message catalog (`journalctl --catalog`). Its key is the field MESSAGE_ID
/// (systemd.journal-fields(7)).
struct MessageCatalog: Equatable, Sendable {
    /// The subject, in a few words.
    var subject: String
    /// The explanation. `@NAME@` is a placeholder for a field of the journal entry.
    var text: String

    /// Parses an entry of the catalog: header lines, an empty line, the explanation.
    init(entry: String) {
        let lines = entry.split(separator: "\n", omittingEmptySubsequences: false)
        let header = lines.prefix { !$0.isEmpty }
        let name = "Subject: "
        subject = header.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) } ?? ""
        var body = lines.dropFirst(header.count)
        while body.first?.isEmpty == true { body.removeFirst() }
        while body.last?.isEmpty == true { body.removeLast() }
        text = body.joined(separator: "\n")
    }

    /// Looks up a message identifier in the catalog; blocks on the disk.
    ///
    /// - Returns: `nil` for a message identifier that is invalid or not in the catalog.
    static func find(_ messageID: String) -> MessageCatalog? {
        var id = sd_id128_t()
        // The text outlives the call; the identifier is a local variable.
        guard unsafe sd_id128_from_string(messageID, &id) >= 0 else { return nil }
        var entry: UnsafeMutablePointer<CChar>?
        guard unsafe sd_journal_get_catalog_for_message_id(id, &entry) >= 0, let entry = unsafe entry else {
            return nil
        }
        // libsystemd allocates it for the caller.
        defer { unsafe free(entry) }
        return unsafe MessageCatalog(entry: String(cString: entry))
    }

    /// Returns the explanation with the placeholders replaced whose values are known.
    func replacingPlaceholders(with values: [String: String]) -> MessageCatalog {
        var filled = self
        for (name, value) in values {
            filled.subject = filled.subject.replacing("@\(name)@", with: value)
            filled.text = filled.text.replacing("@\(name)@", with: value)
        }
        return filled
    }
}
