// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The state of the database that a list has: a snapshot, which determines the visible transactions.
struct ListCursor: Sendable, Hashable {
    /// The generation of the transaction numbers in the snapshot.
    var generation: String
    /// The snapshot as a `pg_snapshot`, `xmin:xmax:xip`.
    var snapshot: String
    /// The ``ListDescription/fingerprint`` at the time when the list was read.
    var fingerprint: String
    /// What the list lacks of the table (``RowLosses/text``); empty = nothing. With it, a list that continues from the
    /// cursor need not be read to say so.
    var omission: String

    init(generation: String, snapshot: String, fingerprint: String, omission: String = "") {
        self.generation = generation
        self.snapshot = snapshot
        self.fingerprint = fingerprint
        self.omission = omission
    }

    /// Decodes ``bytes``; `nil` for bytes of another version.
    init?(_ bytes: [UInt8]) {
        let parts = String(decoding: bytes, as: UTF8.self)
            .split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
        // Version 2 has an omission.
        guard parts.count == 4 && parts[0] == "1" || parts.count == 5 && parts[0] == "2", Self.isSnapshot(parts[2])
        else { return nil }
        self.init(
            generation: String(parts[1]), snapshot: String(parts[2]), fingerprint: String(parts[3]),
            omission: parts.count == 5 ? String(parts[4]) : "")
    }

    private static func isSnapshot(_ text: Substring) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 3 && UInt64(parts[0]) != nil && UInt64(parts[1]) != nil
            && parts[2].split(separator: ",").allSatisfy { UInt64($0) != nil }
    }

    /// The cursor as listd stores it.
    var bytes: [UInt8] {
        let text = "\(generation) \(snapshot) \(fingerprint)"
        return Array((omission.isEmpty ? "1 \(text)" : "2 \(text) \(omission)").utf8)
    }

    /// Returns the cursor with a position for clients and the time of the state, in microseconds since 1970.
    func progress(synced: UInt64) -> DataSourceProgress {
        let bytes = bytes
        let isShort = bytes.count <= DataSourceProgress.largestCursor
        var digest = Digest()
        digest.append(generation)
        digest.append(snapshot)
        let position = snapshot.utf8.count < 900 ? "\(digest.text) \(snapshot)" : digest.text
        // With thousands of open transactions, the cursor is too long to store. After a restart, an older cursor is
        // used.
        return DataSourceProgress(cursor: isShort ? bytes : nil, position: position, synced: synced)
    }

    /// Returns whether a transaction is visible in the snapshot.
    func includes(_ transaction: UInt64) -> Bool {
        let parts = snapshot.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let end = UInt64(parts[1]), transaction < end else { return false }
        return !parts[2].split(separator: ",").contains { UInt64($0) == transaction }
    }
}
