// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
internal import ListKit
internal import ListSupport

/// One run of listd with a store: in which boot of the machine it is, and which lists it gives new epochs.
///
/// It is written, and synced, with the first transaction of the run: the file that a power cut leaves says either that a run
/// had begun, or has everything that was ever answered.
struct StoreRun {
    /// The boot of the machine; empty = unknown, which is never the same one.
    let boot: String
    /// The lists whose revisions may come again with other contents, and what their numberings are called from now on.
    let newEpochs: [(name: String, epoch: String)]

    /// Begins after the run that left the database, and gives restored adapters their new epochs.
    ///
    /// - Parameter isIncomplete: whether the last changes of all lists may be missing.
    init(
        boot: String, after database: SQLiteDatabase, _ adapters: inout [RestoredAdapter], isIncomplete: Bool
    ) throws(SQLiteFailure) {
        self.boot = boot
        let isAfterPowerCut = try !Self.isWhole(database, boot)
        var newEpochs: [(name: String, epoch: String)] = []
        for index in adapters.indices {
            let adapter = adapters[index].adapter
            // The lists of a backup that begins to live have none.
            let isNew = adapter.epoch.isEmpty || isIncomplete || (isAfterPowerCut && adapter.durability == .disk)
            guard isNew else { continue }
            adapters[index].adapter.epoch = Epoch.new()
            newEpochs.append((adapter.name, adapters[index].adapter.epoch))
        }
        self.newEpochs = newEpochs
    }

    /// Whether all that was answered is in the file, unless somebody has changed it: the last run ended well, or the machine
    /// has not gone down since.
    private static func isWhole(_ database: SQLiteDatabase, _ boot: String) throws(SQLiteFailure) -> Bool {
        let row = try database.statement("SELECT boot, ended FROM run")
        defer { row.reset() }
        guard try database.step(row) else { return false }
        return row.number(1) == 1 || (!boot.isEmpty && row.text(0) == boot)
    }
}

extension StoredAdapter {
    /// What an acknowledged update of it survives.
    fileprivate var durability: Durability {
        guard case .string(let word)? = options["durability"] else { return AdapterOptions().durability }
        return Durability(rawValue: word) ?? AdapterOptions().durability
    }
}

/// The kernel's name for the time since the machine was started.
enum MachineBoot {
    /// The name; empty when the kernel's files are out of sight, as they are in a sandbox.
    static var identifier: String {
        (KernelFile.text("/proc/sys/kernel/random/boot_id") ?? "").filter(\.isHexDigit)
    }
}
