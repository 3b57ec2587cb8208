// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
internal import ListKit
internal import ListSupport

/// One run of listd with a store: the boot of the machine, the mark of the run, and what the run before left to record.
///
/// The start of the run is written and synced with its first transaction. After a power cut, the file therefore either
/// records that a run had begun, or has every acknowledged change.
struct StoreRun {
    /// The identifier of the boot; empty = unknown, which never equals another boot.
    let boot: String
    /// The mark of the run, in the database and in `store.mark`.
    let mark: StoreMark.Run
    /// The new epochs of lists whose last changes may be lost, so that their revisions may be used again for other
    /// contents.
    let newEpochs: [(name: String, epoch: String)]
    /// The losses that were found when the store was opened.
    let newLosses: [Loss]
}

/// The record of the last run in a database.
struct RecordedRun {
    /// The mark of the run; `none` in a backup, and in a file that was never used.
    let mark: StoreMark.Run
    /// Whether the run ended in order.
    let hasEnded: Bool
    /// Whether the machine may have crashed after the run began, so that changes that were not synced may be missing.
    let mayLackChanges: Bool

    /// Reads the record; nil = no run has used the database.
    init?(in database: SQLiteDatabase, boot: String) throws(SQLiteFailure) {
        let row = try database.statement("SELECT boot, ended, mark FROM run")
        defer { row.reset() }
        guard try database.step(row) else { return nil }
        mark = StoreMark.Run(row.text(2) ?? "")
        hasEnded = row.number(1) == 1
        mayLackChanges = !hasEnded && (boot.isEmpty || row.text(0) != boot)
    }
}

extension StoredAdapter {
    /// The durability according to the stored options.
    var durability: Durability {
        guard case .string(let word)? = options["durability"] else { return AdapterOptions().durability }
        return Durability(rawValue: word) ?? AdapterOptions().durability
    }
}

/// The kernel's identifier of the present boot of the machine.
enum MachineBoot {
    /// The identifier; empty when `/proc/sys` is not accessible, as in a sandbox.
    static var identifier: String {
        (KernelFile.text("/proc/sys/kernel/random/boot_id") ?? "").filter(\.isHexDigit)
    }
}
