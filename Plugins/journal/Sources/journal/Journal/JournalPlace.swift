// SPDX-License-Identifier: Apache-2.0

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
