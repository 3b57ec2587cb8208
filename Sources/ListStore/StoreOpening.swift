// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import ListConfiguration
@_spi(Daemon) package import ListKit
internal import ListSupport

/// An opened store, the restored lists, and what was lost.
package struct OpenedStore: Sendable {
    package let store: SQLiteStore
    /// The stored lists, in order of name.
    package let adapters: [RestoredAdapter]
    /// The losses that nobody has acknowledged, oldest first.
    package let losses: [Loss]
    /// What this start found, for the log: the new losses, and each list of which changes are missing.
    package let news: [String]
}

extension SQLiteStore {
    /// The name of the database in the state directory.
    package static let fileName = "listd.db"

    /// Opens the store of a state directory, and reads all lists. The directory and the store are made if necessary.
    ///
    /// A pending replacement (`listd.db.next…`) takes the place of the database first, which is kept under another name.
    ///
    /// Of a damaged database, the lists are kept of which every row can be read, and get new epochs; the file is kept as
    /// `listd.db.damaged-TIME`. If the files are not those that the last run of listd left, all lists get new epochs. If
    /// the machine crashed during the last run, the lists with durability `disk` do. What is lost is told in
    /// ``OpenedStore/losses``, and stays in the store until it is acknowledged.
    ///
    /// - Parameters:
    ///   - boot: the identifier of this boot of the machine; nil = the one that the kernel reports.
    ///   - now: the time in the names of files that are set aside, in microseconds since 1970; nil = the present time.
    ///   - isGivenUp: called before each row is read; true = reading stops with an error.
    ///   - report: called on the store's executor when the files are lost or changed while the store is open.
    /// - Throws: `storeFailed` when the directory cannot be written, the disk has no room for a copy, another listd has
    ///   the file open, a newer one has written it (``refusal(directory:)``), or reading was stopped. The stored data
    ///   are unchanged then.
    /// - Complexity: O(bytes stored), one scan for each list.
    package static func open(
        directory: String, boot: String? = nil, now: Int64? = nil,
        isGivenUp: @escaping () -> Bool = { false }, report: @escaping @Sendable (StoreLoss) -> Void = { _ in }
    ) throws(ListError) -> OpenedStore {
        try StoreOpening.makeDirectory(directory)
        if let refusal = refusal(directory: directory) { throw ListError(.storeFailed, refusal) }
        let opening = StoreOpening(
            path: directory + "/" + fileName, boot: boot ?? StoreOpening.presentBoot,
            now: now ?? StoreOpening.presentTime, report: report)
        return try opening.open(isGivenUp: isGivenUp)
    }

    /// Returns why this listd must not use the store of a state directory: a newer one has changed its tables. Changes
    /// nothing.
    package static func refusal(directory: String) -> String? { StoreVersion.refusal(directory: directory) }
}

/// The opening of one store.
struct StoreOpening {
    /// The path of the database.
    let path: String
    let boot: String
    let now: Int64
    let report: @Sendable (StoreLoss) -> Void

    /// The present time in microseconds since 1970.
    static var presentTime: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }

    /// The kernel's identifier of the present boot of the machine; empty when `/proc/sys` is not accessible, as in a
    /// sandbox.
    static var presentBoot: String {
        (KernelFile.text("/proc/sys/kernel/random/boot_id") ?? "").filter(\.isHexDigit)
    }

    func open(isGivenUp: @escaping () -> Bool) throws(ListError) -> OpenedStore {
        StoreReplacement.removeLeftovers(beside: path)
        do throws(SQLiteFailure) {
            let kept = try StoreReplacement.take(path: path, now: now)
            do throws(SQLiteFailure) {
                return try openFiles(replaced: kept, isGivenUp: isGivenUp)
            } catch {
                guard isDamage(error) else { throw error }
                let news = try StoreSalvage(path: path, boot: boot, now: now).replaceDatabase(damagedBy: error)
                _ = try StoreReplacement.take(path: path, now: now)
                // Reading is not stopped any more: the new database has just been written.
                return try openFiles(news: news) { false }
            }
        } catch {
            guard error.isBusy else { throw StoreAccess.error(for: error, at: path) }
            throw ListError(
                .storeFailed, "another process has \(path) open, most likely another listd", cause: error.message)
        }
    }

    /// Whether a failure is caused by the contents of the file, rather than by access to it. The header of a writable
    /// file can mark it as read-only, and its schema can lack tables.
    private func isDamage(_ failure: SQLiteFailure) -> Bool {
        let (readOnly, noSuchTable): (Int32, Int32) = (8, 1)
        switch failure.code & 0xFF {
        case noSuchTable: return true
        case readOnly: return unsafe access(path, W_OK) == 0
        default: return failure.isDamage
        }
    }

    /// Opens the database and reads all lists.
    ///
    /// - Parameters:
    ///   - replaced: the path of the database that was replaced; nil = it was not replaced.
    ///   - news: what was found before.
    private func openFiles(
        replaced: String? = nil, news: [String] = [], isGivenUp: @escaping () -> Bool
    ) throws(SQLiteFailure) -> OpenedStore {
        let mark = StoreMark.read(beside: path)
        try refuseEmptyFile()
        let isMissing = unsafe access(path, F_OK) != 0 && errno == ENOENT
        let loneLog = isMissing ? try setAsideLoneLog() : nil
        // The log is copied before SQLite opens it and drops the part after the damage.
        let log = isMissing ? nil : try copyDamagedLog(mark: mark)
        let database = try SQLiteDatabase(path: path)
        // If the database cannot be read, it is set aside together with its log.
        database.setKeepsLog(true)
        // Only for a new file, as it would write to another one.
        if isMissing { try database.execute(StoreSchema.vacuuming) }
        try database.execute(StoreSchema.connection)
        // SQLite acquires the exclusive lock with the first transaction.
        try database.execute("BEGIN IMMEDIATE; COMMIT")
        let tables = try StoreVersion.createOrMigrateTables(of: database, path: path)
        if let fault = try Self.structuralFault(of: database) { throw .corruption(fault) }
        // If there is damage, reading is never stopped, so that it is reported at once.
        let hasDamage = isMissing || log != nil
        let reader = StoreReader(database: database) { !hasDamage && isGivenUp() }
        let rows = try reader.readRows()
        var adapters: [RestoredAdapter] = []
        for row in rows where !row.isRemoved { adapters.append(try reader.readList(row)) }

        let last = try RecordedRun(in: database, boot: boot)
        let number = try StoreWriter.lastNumber(in: database)
        var provenance = StoreProvenance(mark: mark, rows: rows, number: number, path: path, boot: boot)
        if isMissing {
            provenance.recordMissingDatabase(log: loneLog)
        } else if tables == .present || (tables == .none && mark != nil) {
            try provenance.compare(
                database: StoreFiles.identity(path), last: last, log: log, replaced: replaced)
        }
        let newEpochs = provenance.renewEpochs(of: &adapters, after: last)
        let newLosses = provenance.losses.map { Loss(time: now, text: $0) }
        let (kept, unlogged) = try Self.readLosses(in: database)

        let markFile = StoreMarkFile(newMark(after: last, number: number, rows: rows), beside: path)
        let run = StoreRun(
            boot: boot, mark: markFile.isWritten ? markFile.mark.run : last?.mark ?? .none, newEpochs: newEpochs,
            newLosses: newLosses)
        let connection = StoreConnection(
            database, path: path, run: run, mark: markFile, number: number, report: report)
        return OpenedStore(
            store: SQLiteStore(connection, path: path), adapters: adapters,
            losses: Array((kept + newLosses).suffix(Loss.mostKept)),
            news: news + unlogged + provenance.losses + provenance.details)
    }

    /// Returns the first fault in the structure of the file: pages that are used twice or not at all.
    private static func structuralFault(of database: SQLiteDatabase) throws(SQLiteFailure) -> String? {
        let rows = try database.statement("PRAGMA quick_check(1)")
        defer { rows.reset() }
        guard try database.step(rows), let text = rows.text(0), text != "ok" else { return nil }
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Reads the losses that nobody has acknowledged, and the sentences of those that no log has.
    static func readLosses(
        in database: SQLiteDatabase
    ) throws(SQLiteFailure) -> (all: [Loss], unlogged: [String]) {
        var (all, unlogged): ([Loss], [String]) = ([], [])
        let rows = try database.statement("SELECT time, text, logged FROM loss ORDER BY key")
        while try database.step(rows) {
            let loss = Loss(time: rows.number(0) ?? 0, text: rows.text(1) ?? "")
            all.append(loss)
            if rows.number(2) != 1 { unlogged.append(loss.text) }
        }
        return (all, unlogged)
    }

    private func newMark(after last: RecordedRun?, number: Int64, rows: [StoredRow]) -> StoreMark {
        var mark = StoreMark()
        mark.boot = StoreMark.number(ofBoot: boot)
        mark.database = StoreFiles.identity(path)
        (mark.run, mark.runBefore) = (.random(), last?.mark ?? .none)
        mark.written = number
        for row in rows where !row.isRemoved {
            mark.lists[row.key] = StoreMark.List(name: row.name, revision: row.revision)
        }
        return mark
    }

    /// Throws if the database has been truncated to 0 bytes. SQLite would treat it as a new one.
    private func refuseEmptyFile() throws(SQLiteFailure) {
        guard let state = StoreFiles.state(path), state.is_regular != 0, state.size == 0 else { return }
        throw .corruption("the file is empty")
    }

    /// Checks the log for damage, and copies a damaged log, as SQLite is about to change it.
    ///
    /// - Returns: the damage as a clause; nil = none is detected.
    private func copyDamagedLog(mark: StoreMark?) throws(SQLiteFailure) -> String? {
        let log = path + WriteAheadLog.suffix
        let fault = WriteAheadLog.fault(
            ofLog: log, mark: mark, database: StoreFiles.identity(path), boot: StoreMark.number(ofBoot: boot))
        guard let fault else { return nil }
        guard let state = StoreFiles.state(log), state.size > 0 else { return "\(log) is \(fault)" }
        let other = StoreReplacement.unusedPath(of: path, "damaged", now: now) + WriteAheadLog.suffix
        // If this fails, opening fails, so that the rest of the log is not lost.
        guard FileCopy.copy(log, to: other) else {
            throw .access("\(log) is \(fault) and cannot be copied: \(SystemError.text(errno))")
        }
        return "\(log) is \(fault) (kept as \(other))"
    }

    /// Renames a log whose database is missing. The log has the last changes, and SQLite would delete it.
    ///
    /// - Returns: the path of the log; nil if there is none.
    private func setAsideLoneLog() throws(SQLiteFailure) -> String? {
        let log = path + WriteAheadLog.suffix
        guard let state = StoreFiles.state(log), state.size > 0 else { return nil }
        let other = StoreReplacement.unusedPath(of: path, "damaged", now: now) + WriteAheadLog.suffix
        guard unsafe rename(log, other) == 0 else {
            throw .access("\(log), a log without its database, cannot be set aside: \(SystemError.text(errno))")
        }
        return other
    }

    /// Makes a directory that only its owner may enter, and its missing parent directories.
    static func makeDirectory(_ path: String) throws(ListError) {
        if unsafe mkdir(path, 0o700) == 0 { return }
        var error = errno
        let parent = StoreFiles.directory(of: path)
        if error == ENOENT, parent != path {
            try makeDirectory(parent)
            if unsafe mkdir(path, 0o700) == 0 { return }
            error = errno
        }
        var status = stat()
        guard error == EEXIST, unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ListError(.storeFailed, "the directory \(path) cannot be made", cause: SystemError.text(error))
        }
    }
}

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
