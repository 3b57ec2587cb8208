// SPDX-License-Identifier: Apache-2.0

package import PluginAPI

/// How far the source of a list has read, for the contents that the list has: stored with the list, and kept when listd
/// ends.
package struct SourceRecord: Sendable, Equatable {
    /// Where the source continues; nil = it begins anew.
    package private(set) var cursor: [UInt8]?
    /// The state of the source as text; empty = it has reported none.
    package var position = ""
    /// When the list was last known to have all of the source, in microseconds since 1970; 0 = never.
    package var synced: UInt64 = 0

    /// What is known: nothing by default.
    package init(cursor: [UInt8]? = nil, position: String = "", synced: UInt64 = 0) {
        self.cursor = cursor
        self.position = position
        self.synced = synced
    }

    /// Has the source begin anew when it starts again.
    package mutating func removeCursor() { cursor = nil }

    /// What is known after an event.
    ///
    /// - Parameters:
    ///   - progress: what the source says; nil = nothing.
    ///   - isWhole: whether the event replaces the whole list, so that an earlier cursor is useless.
    ///   - now: microseconds since 1970.
    package func after(_ progress: DataSourceProgress?, isWhole: Bool, now: UInt64) -> SourceRecord {
        var next = self
        next.cursor = progress?.cursor ?? (isWhole ? nil : cursor)
        next.position = progress?.position ?? (isWhole ? "" : position)
        next.synced = progress?.synced ?? now
        return next
    }
}

// MARK: - As the store keeps it

extension SourceRecord {
    private static let version: UInt8 = 1

    /// The version; `synced` and the length of the position as little-endian words of 64 and 32 bits; the position; 1 and the
    /// cursor, or 0 without one.
    package var bytes: [UInt8] {
        var bytes = [Self.version]
        func append(_ number: UInt64, _ count: Int) {
            for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
        }
        append(synced, 8)
        append(UInt64(position.utf8.count), 4)
        bytes += position.utf8
        bytes.append(cursor == nil ? 0 : 1)
        return bytes + (cursor ?? [])
    }

    /// Reads a stored record; nil for bytes that this listd did not write, so that the source begins anew.
    package init?(bytes: [UInt8]) {
        func number(at start: Int, _ count: Int) -> UInt64 {
            (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
        }
        guard bytes.count >= 14, bytes[0] == Self.version else { return nil }
        synced = number(at: 1, 8)
        let end = 13 + Int(number(at: 9, 4))
        guard end < bytes.count, let text = String(validating: bytes[13..<end], as: UTF8.self) else { return nil }
        position = text
        switch bytes[end] {
        case 0 where bytes.count == end + 1: cursor = nil
        case 1: cursor = Array(bytes[(end + 1)...])
        default: return nil
        }
    }
}
