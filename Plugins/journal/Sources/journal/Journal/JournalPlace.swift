// SPDX-License-Identifier: Apache-2.0

/// Where a list of journal entries left off: what the source keeps as its cursor.
///
/// The identifiers of entries are journal cursors. The journal still has what the list has if the oldest entry is there, and the
/// newest so many entries after it.
struct JournalPlace: Equatable, Sendable {
    /// How many entries the list has; at least one.
    var count: Int
    /// The identifier of the oldest.
    var oldest: String
    /// The identifier of the newest.
    var newest: String

    private static let version = "1"

    /// The place of a list.
    ///
    /// - Parameter ids: the oldest first; `nil` is answered for none.
    init?(_ ids: [String]) {
        guard let oldest = ids.first, let newest = ids.last else { return nil }
        self.init(count: ids.count, oldest: oldest, newest: newest)
    }

    init(count: Int, oldest: String, newest: String) {
        (self.count, self.oldest, self.newest) = (count, oldest, newest)
    }

    /// What the source hands over: version, count, oldest and newest, a line each.
    var cursor: [UInt8] { Array([Self.version, "\(count)", oldest, newest].joined(separator: "\n").utf8) }

    /// Reads what was handed over; `nil` for what another version of the plugin wrote.
    init?(cursor: [UInt8]) {
        guard let text = String(validating: cursor, as: UTF8.self) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 4, lines[0] == Self.version, let count = Int(lines[1]), count > 0 else { return nil }
        self.init(count: count, oldest: lines[2], newest: lines[3])
    }
}
