// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
internal import ListKit
internal import ListSupport

/// One run of listd with a store: the boot of the machine, and the lists that get new epochs.
///
/// The start of the run is written and synced with its first transaction. After a power cut, the file therefore either
/// records that a run had begun, or has every acknowledged change.
struct StoreRun {
    /// The identifier of the boot; empty = unknown, which never equals another boot.
    let boot: String
    /// The new epochs of lists whose last changes may be lost, so that their revisions may be used again for other
    /// contents.
    let newEpochs: [(name: String, epoch: String)]

    /// Begins a run after the previous run of the database, and sets the new epochs of restored adapters.
    ///
    /// - Parameter isIncomplete: whether the last changes of all lists may be missing.
    init(
        boot: String, after database: SQLiteDatabase, _ adapters: inout [RestoredAdapter], isIncomplete: Bool
    ) throws(SQLiteFailure) {
        self.boot = boot
        let isAfterPowerCut = try !Self.hasAllChanges(database, boot)
        var newEpochs: [(name: String, epoch: String)] = []
        for index in adapters.indices {
            let adapter = adapters[index].adapter
            // The lists of a restored backup have no epochs.
            let isNew = adapter.epoch.isEmpty || isIncomplete || (isAfterPowerCut && adapter.durability == .disk)
            guard isNew else { continue }
            adapters[index].adapter.epoch = Epoch.random()
            newEpochs.append((adapter.name, adapters[index].adapter.epoch))
        }
        self.newEpochs = newEpochs
    }

    /// Whether the file has all acknowledged changes: the last run ended in order, or the machine has not been
    /// restarted since that run began.
    private static func hasAllChanges(_ database: SQLiteDatabase, _ boot: String) throws(SQLiteFailure) -> Bool {
        let row = try database.statement("SELECT boot, ended FROM run")
        defer { row.reset() }
        guard try database.step(row) else { return false }
        return row.number(1) == 1 || (!boot.isEmpty && row.text(0) == boot)
    }
}

extension StoredAdapter {
    /// The durability according to the stored options.
    fileprivate var durability: Durability {
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
