// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// What a list has of its database: the transactions that a snapshot could see.
struct ListCursor: Sendable, Hashable {
    /// The run of transaction numbers that the snapshot counts in.
    var generation: String
    /// `xmin:xmax:xip`, a pg_snapshot.
    var snapshot: String
    /// How the list was described when it was read.
    var fingerprint: String

    /// Describes it.
    init(generation: String, snapshot: String, fingerprint: String) {
        self.generation = generation
        self.snapshot = snapshot
        self.fingerprint = fingerprint
    }

    /// Reads what ``bytes`` wrote; nil for anything else, as another version may have written.
    init?(_ bytes: [UInt8]) {
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "1", Self.isSnapshot(parts[2]) else { return nil }
        self.init(generation: String(parts[1]), snapshot: String(parts[2]), fingerprint: String(parts[3]))
    }

    private static func isSnapshot(_ text: Substring) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 3 && UInt64(parts[0]) != nil && UInt64(parts[1]) != nil
            && parts[2].split(separator: ",").allSatisfy { UInt64($0) != nil }
    }

    /// The same as bytes.
    var bytes: [UInt8] { Array("1 \(generation) \(snapshot) \(fingerprint)".utf8) }

    /// How far the list is, as listd stores it.
    func progress(synced: UInt64) -> DataSourceProgress {
        let bytes = bytes
        let isShort = bytes.count <= DataSourceProgress.largestCursor
        var digest = Digest()
        digest.append(generation)
        digest.append(snapshot)
        let position = snapshot.utf8.count < 900 ? "\(digest.text) \(snapshot)" : digest.text
        // With thousands of transactions under way the cursor is not kept: what comes now is told again after a restart.
        return DataSourceProgress(cursor: isShort ? bytes : nil, position: position, synced: synced)
    }

    /// Whether the snapshot sees a transaction.
    func sees(_ transaction: UInt64) -> Bool {
        let parts = snapshot.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let end = UInt64(parts[1]), transaction < end else { return false }
        return !parts[2].split(separator: ",").contains { UInt64($0) == transaction }
    }
}
