// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport

/// Whether the files of a store are those that the last run of listd left, and what is missing in them.
struct StoreProvenance {
    private let mark: StoreMark?
    private let rows: [StoredRow]
    private let number: Int64
    private let path: String
    private let boot: UInt64
    /// The losses, as sentences.
    private(set) var losses: [String] = []
    /// A line for each list of which changes are missing, when ``losses`` has one sentence for all.
    private(set) var details: [String] = []
    /// Whether all lists get new epochs, as any of them may lack changes.
    private var mayLackChanges = false

    /// - Parameters:
    ///   - mark: the mark beside the database; nil = there is none, or it is damaged.
    ///   - rows: the lists in the database.
    ///   - number: the number of its last change.
    init(mark: StoreMark?, rows: [StoredRow], number: Int64, path: String, boot: String) {
        (self.mark, self.rows, self.number, self.path) = (mark, rows, number, path)
        self.boot = StoreMark.number(ofBoot: boot)
    }

    /// Records that there is no database.
    ///
    /// - Parameter log: the path of its log, which was set aside.
    mutating func recordMissingDatabase(log: String?) {
        let place = log.map { "; its log is kept as \($0)" } ?? ""
        losses = (mark?.lists.values.map(\.name) ?? []).sorted().map {
            "the list \($0.quoted) was lost: \(path) is missing\(place)"
        }
        // The names are not known, or there were none: a log alone shows that something was stored.
        if log != nil, losses.isEmpty { losses = ["all lists were lost: \(path) is missing\(place)"] }
    }

    /// Compares the database with its mark.
    ///
    /// - Parameters:
    ///   - database: the identity of the database.
    ///   - last: the run that the database records; nil = none, as in a new database, or in one that has lost all.
    ///   - log: the damage of the log as a clause; nil = none.
    ///   - replaced: the path of the database that was replaced; nil = it was not replaced.
    /// - Throws: `corruption` when a list is missing in a database that should have it.
    mutating func compare(
        database: UInt64, last: RecordedRun?, log: String?, replaced: String?
    ) throws(SQLiteFailure) {
        // A new store, whose first run has not begun.
        guard last != nil || mark?.lists.isEmpty == false else { return }
        let reasons = [reasonOfReplacement(replaced) ?? difference(of: database, last), log].compactMap(\.self)
        guard let reason = reasons.isEmpty ? lag(after: last) : reasons.joined(separator: ", and ") else {
            guard let mark, let lost = missing(in: mark).first(where: { $0.lacks == nil }),
                number <= mark.written, last?.mayLackChanges == false
            else { return }
            throw .corruption("the row of the list \(lost.name.quoted) is missing")
        }
        mayLackChanges = true
        guard !rows.isEmpty || mark?.lists.isEmpty == false else { return }
        let place = replaced.map { $0.isEmpty ? "" : "; the earlier store is kept as \($0)" } ?? ""
        losses.append(
            "the stored lists are not those that listd had last: \(reason); \(extent(of: mark)); "
                + "all lists have new epochs\(place)")
        // The files may be older than the mark knows.
        let named = Set(mark.map { missing(in: $0).map { ExactText($0.name) } } ?? [])
        details += rows.filter { !$0.isRemoved && !named.contains(ExactText($0.name)) }.map {
            "the list \($0.name.quoted) may lack changes after revision \($0.revision)"
        }
    }

    /// Sets the new epochs of lists whose last changes may be missing; returns them by name.
    mutating func renewEpochs(
        of adapters: inout [RestoredAdapter], after last: RecordedRun?
    ) -> [(name: String, epoch: String)] {
        // A store that no run has used is new, or of a version that did not record runs.
        let isAfterPowerCut = last?.mayLackChanges ?? true
        var (newEpochs, hasUncertain): ([(name: String, epoch: String)], Bool) = ([], false)
        for index in adapters.indices {
            let adapter = adapters[index].adapter
            let isUncertain = isAfterPowerCut && adapter.durability == .disk
            // The lists of older backups have no epochs.
            guard adapter.epoch.isEmpty || mayLackChanges || isUncertain else { continue }
            if isUncertain { hasUncertain = true }
            adapters[index].adapter.epoch = Epoch.random()
            newEpochs.append((adapter.name, adapters[index].adapter.epoch))
        }
        if last != nil, isAfterPowerCut, !mayLackChanges {
            let isBehind = mark.map { !missing(in: $0).isEmpty } ?? false
            if hasUncertain || isBehind {
                losses.append(
                    "the machine went down while listd ran: the last changes of lists with durability disk may be "
                        + "missing; \(extent(of: mark)); these lists have new epochs")
            }
        }
        return newEpochs
    }

    private func reasonOfReplacement(_ replaced: String?) -> String? {
        replaced.map { _ in "\(path) was restored from another file" }
    }

    /// Returns how the database differs from the one that the mark describes; nil = it is the same.
    private func difference(of database: UInt64, _ last: RecordedRun?) -> String? {
        guard let mark else { return "\(StoreMark.fileName) is missing or damaged" }
        // A crash of the machine may leave names that were written last incomplete.
        guard mark.isWhole || last?.mayLackChanges == true else { return "\(StoreMark.fileName) is damaged" }
        guard mark.database == database else { return "\(path) is another file than the one that listd used" }
        guard let run = last?.mark, run != .none, run == mark.run || run == mark.runBefore else {
            return "\(path) is from another run of listd"
        }
        return nil
    }

    /// Returns that the database is older than the mark, if it should not be.
    private func lag(after last: RecordedRun?) -> String? {
        guard let mark, last?.hasEnded == true || mark.isOf(boot: boot) else { return nil }
        guard mark.written > number || missing(in: mark).contains(where: { $0.lacks != nil }) else { return nil }
        return "\(path) is older than \(StoreMark.fileName)"
    }

    /// Returns the lists that lack changes, with the numbers of revisions that they lack; nil = the whole list.
    private func missing(in mark: StoreMark) -> [(name: String, lacks: UInt64?)] {
        let revisions = Dictionary(rows.filter { !$0.isRemoved }.map { ($0.name, $0.revision) }) { first, _ in first }
        return mark.lists.values.sorted { $0.name < $1.name }.compactMap { list in
            guard let revision = revisions[list.name] else { return (list.name, nil) }
            return revision < list.revision ? (list.name, list.revision - revision) : nil
        }
    }

    /// Returns the clause about how many changes are missing, of which lists, and notes each list.
    private mutating func extent(of mark: StoreMark?) -> String {
        guard let mark else { return "it is unknown how many changes are missing" }
        let missing = missing(in: mark)
        let phrases = missing.map { name, lacks in
            guard let lacks else { return "\(name.quoted) (the whole list)" }
            return "\(name.quoted) (up to \(lacks) \(lacks == 1 ? "change" : "changes"))"
        }
        details = phrases.map { "missing in the stored lists: \($0)" }
        let number = max(mark.written - number, Int64(missing.isEmpty ? 0 : 1))
        guard number > 0 else { return "no change is known to be missing" }
        let count = "at least \(number) \(number == 1 ? "change is" : "changes are") missing"
        guard !phrases.isEmpty else { return count }
        let named = phrases.prefix(6).joined(separator: ", ")
        let rest = phrases.count > 6 ? " and \(phrases.count - 6) more lists, which the log names" : ""
        return "\(count), of \(named)\(rest)"
    }
}

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
