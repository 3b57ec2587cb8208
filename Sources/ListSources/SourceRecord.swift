// SPDX-License-Identifier: Apache-2.0

package import PluginAPI

/// A record of how far the source of a list has read. It matches the contents of the list, is stored with the list,
/// and is kept across restarts of listd.
package struct SourceRecord: Sendable, Equatable {
    /// The cursor from which the source continues; nil if it begins again from the start.
    package private(set) var cursor: [UInt8]?
    /// The position of the source as text; empty if it has reported none.
    package var position = ""
    /// The time when the list was last known to contain the whole source, in microseconds since 1970; 0 for never.
    package var synced: UInt64 = 0

    /// Creates a record, which is empty by default.
    package init(cursor: [UInt8]? = nil, position: String = "", synced: UInt64 = 0) {
        self.cursor = cursor
        self.position = position
        self.synced = synced
    }

    /// Removes the cursor, so that the source begins from the start when it runs again.
    package mutating func removeCursor() { cursor = nil }

    /// Returns the record after an event.
    ///
    /// - Parameters:
    ///   - progress: the progress that the source reported; nil if it reported none.
    ///   - isWhole: whether the event replaces the whole list, so that an earlier cursor is useless.
    ///   - now: the time of the event, in microseconds since 1970.
    package func after(_ progress: DataSourceProgress?, isWhole: Bool, now: UInt64) -> SourceRecord {
        var next = self
        next.cursor = progress?.cursor ?? (isWhole ? nil : cursor)
        next.position = progress?.position ?? (isWhole ? "" : position)
        next.synced = progress?.synced ?? now
        return next
    }
}

// MARK: - Stored form

extension SourceRecord {
    private static let version: UInt8 = 1

    /// The record in its stored form: the version; `synced` as 64 bits and the length of the position as 32 bits,
    /// both little-endian; the position; then 1 and the cursor, or 0 without a cursor.
    package var bytes: [UInt8] {
        var bytes = [Self.version]
        func append(_ number: UInt64, bytes count: Int) {
            for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
        }
        append(synced, bytes: 8)
        append(UInt64(position.utf8.count), bytes: 4)
        bytes += position.utf8
        bytes.append(cursor == nil ? 0 : 1)
        return bytes + (cursor ?? [])
    }

    /// Reads a stored record. Returns nil for bytes that this version of listd cannot have written, so that the
    /// source begins from the start.
    package init?(bytes: [UInt8]) {
        func number(at start: Int, bytes count: Int) -> UInt64 {
            (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
        }
        guard bytes.count >= 14, bytes[0] == Self.version else { return nil }
        synced = number(at: 1, bytes: 8)
        let end = 13 + Int(number(at: 9, bytes: 4))
        guard end < bytes.count, let text = String(validating: bytes[13..<end], as: UTF8.self) else { return nil }
        position = text
        switch bytes[end] {
        case 0 where bytes.count == end + 1: cursor = nil
        case 1: cursor = Array(bytes[(end + 1)...])
        default: return nil
        }
    }
}
