// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
@_spi(Daemon) internal import ListKit

/// The replacement of a damaged database by one with the lists of which every row can be read.
///
/// The damaged file is read list by list: what SQLite cannot reach, or what is not what was written, loses the list on it
/// and no other. Names come from the mark if the file no longer has them.
struct StoreSalvage {
    let path: String
    let boot: String
    let now: Int64

    /// Writes the readable lists with new epochs to a new database, which becomes the pending replacement, and sets the
    /// mark to it.
    ///
    /// - Returns: lines for the log, besides the losses, which are in the new database.
    /// - Throws: the failure of the damaged or the new file, for instance because the disk is full. Nothing has changed
    ///   then.
    func replaceDatabase(damagedBy failure: SQLiteFailure) throws(SQLiteFailure) -> [String] {
        let new = "\(path).salvage-\(now)"
        unsafe unlink(new)
        let aside = StoreReplacement.unusedPath(of: path, "damaged", now: now)
        do throws(SQLiteFailure) {
            let (mark, news) = try copyLists(to: new, aside: aside, reason: failure.message)
            try StoreReplacement.announce(new, for: path, kept: aside)
            _ = StoreMarkFile(mark, beside: path)
            return news
        } catch {
            for suffix in ["", "-journal"] { unsafe unlink(new + suffix) }
            throw error
        }
    }

    private func copyLists(
        to new: String, aside: String, reason: String
    ) throws(SQLiteFailure) -> (mark: StoreMark, news: [String]) {
        let old = StoreMark.read(beside: path)
        // The keys of another file's mark mean other lists.
        let isOfFile = old?.database == StoreFiles.identity(path)
        let target = try SQLiteDatabase(path: new)
        try target.execute(StoreSchema.vacuuming + "PRAGMA synchronous = FULL;" + StoreSchema.creation)
        var writer = StoreWriter(database: target, number: old?.written ?? 0)
        try target.execute("BEGIN IMMEDIATE")
        var (kept, lost): (Set<ExactText>, [String?]) = ([], [])
        let damaged = DamagedDatabase(path: path)
        for (key, name) in damaged.keys(with: isOfFile ? old : nil) {
            switch try damaged.readList(key) {
            case .removed: continue
            case .list(var list):
                list.adapter.epoch = Epoch.random()
                var change = Change()
                change.list = list.objects
                let write = StoreWrite(change, oldestRevision: 0, revision: list.revision, limit: list.revision)
                try writer.apply(.createFilled(list.adapter, write, cursor: list.cursor))
                kept.insert(ExactText(list.adapter.name))
            case .lost(let found): lost.append(name ?? found)
            }
        }
        for list in old?.lists.values.sorted(by: { $0.name < $1.name }) ?? []
        where !kept.contains(ExactText(list.name)) && !lost.contains(list.name) { lost.append(list.name) }
        let why = "\(path) is damaged (\(reason)); the file is kept as \(aside)"
        var losses = lost.map { name in
            (name.map { "the list \($0.quoted) was lost" } ?? "a list whose name cannot be read was lost") + ": \(why)"
        }
        if !damaged.isWhole, old?.isWhole != true {
            losses.append("lists may be lost whose names cannot be read: \(why)")
        }
        for loss in damaged.losses() + losses.map({ Loss(time: now, text: $0) }) { try writer.write(loss) }
        let written = try writer.finish()
        let run = StoreMark.Run.random()
        try target.run(
            "INSERT INTO run (key, boot, ended, mark, written) VALUES (1, ?, 1, ?, ?)", .text(boot), .text(run.text),
            .number(writer.commit()))
        try target.execute("COMMIT")
        var mark = StoreMark()
        mark.boot = StoreMark.number(ofBoot: boot)
        mark.database = StoreFiles.identity(new)
        (mark.run, mark.written) = (run, writer.commit())
        for list in written {
            if let name = list.name { mark.lists[list.key] = StoreMark.List(name: name, revision: list.revision) }
        }
        return (
            mark,
            [
                "\(path) is damaged (\(reason)): \(kept.count) lists were kept, with new epochs, and \(losses.count) "
                    + "losses were recorded; the file is kept as \(aside)"
            ]
        )
    }
}

/// A damaged database, read one row at a time.
private struct DamagedDatabase {
    /// What is left of a list.
    enum Remains {
        case list(RestoredAdapter)
        /// Not all of it can be read; the name, if that can.
        case lost(name: String?)
        /// The list had been removed.
        case removed
    }

    private let reader: StoreReader?
    /// The keys that could be read, with names.
    private let found: [Int64: String]
    /// Whether all keys could be read.
    let isWhole: Bool

    init(path: String) {
        // SQLite would delete the log of an empty file.
        guard let state = StoreFiles.state(path), state.size > 0, let database = try? SQLiteDatabase(path: path) else {
            (reader, found, isWhole) = (nil, [:], false)
            return
        }
        database.setKeepsLog(true)
        // In this mode, SQLite makes no shared memory file.
        try? database.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA cell_size_check = ON")
        let hasDigests: Bool
        do throws(SQLiteFailure) {
            _ = try database.statement("SELECT \(StoredRow.columns) FROM adapter LIMIT 0")
            hasDigests = true
        } catch {
            // SQLITE_ERROR: a table of an earlier version, without these columns. Damage says nothing about the columns.
            hasDigests = error.code & 0xFF != 1
        }
        reader = StoreReader(database: database, checksDigests: hasDigests)
        // A damaged page is passed from both sides.
        let (forward, backward) = (Self.keys(in: database, "ASC"), Self.keys(in: database, "DESC"))
        found = forward.keys.merging(backward.keys) { first, _ in first }
        isWhole = forward.isWhole
    }

    private static func keys(in database: SQLiteDatabase, _ order: String) -> (keys: [Int64: String], isWhole: Bool) {
        var keys: [Int64: String] = [:]
        do throws(SQLiteFailure) {
            let rows = try database.statement("SELECT key, name FROM adapter ORDER BY key \(order)")
            while try database.step(rows) {
                if let key = rows.number(0) { keys[key] = rows.text(1) ?? "" }
            }
            return (keys, true)
        } catch {
            return (keys, false)
        }
    }

    /// Returns the keys of all lists that the file or the mark has, with the names that the mark has.
    func keys(with mark: StoreMark?) -> [(key: Int64, name: String?)] {
        let known = mark?.lists ?? [:]
        return Set(found.keys).union(known.keys).sorted().map { ($0, known[$0]?.name) }
    }

    /// Reads what is left of a list.
    ///
    /// - Throws: the failure of the disk, which is not damage.
    func readList(_ key: Int64) throws(SQLiteFailure) -> Remains {
        let name = found[key].flatMap { $0.isEmpty ? nil : $0 }
        if let name, StoreWriter.isNameOfRemoved(name) { return .removed }
        guard let reader else { return .lost(name: name) }
        do throws(SQLiteFailure) {
            guard let row = try reader.readRow(key) else { return .lost(name: name) }
            if row.isRemoved { return .removed }
            return .list(try reader.readList(row, isSalvaged: true))
        } catch {
            // SQLITE_ERROR: a table is missing.
            guard error.isDamage || error.code & 0xFF == 1 else { throw error }
            return .lost(name: name)
        }
    }

    /// Returns the earlier losses that nobody has acknowledged, as far as they can be read.
    func losses() -> [Loss] {
        guard let database = reader?.database, let losses = try? StoreOpening.readLosses(in: database) else {
            return []
        }
        return losses.all
    }
}
