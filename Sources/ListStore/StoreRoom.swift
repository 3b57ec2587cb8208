// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Room on the disk that the store takes before it needs it: lists can be removed when there is no more.
///
/// A removal writes into the log first, and moving the log into the database must not need room either. So the database has
/// room for everything that is committed, and a file of its own keeps some for the log.
final class StoreRoom {
    /// What follows the name of the database.
    static let suffix = "-reserve"
    /// Enough for a part of a list to be removed (``StoreWriter/Part/small``).
    private static let reserveSize: Int64 = 512 << 10
    /// The database grows in such steps, unless the disk has less.
    private static let step: Int64 = 64 << 10

    private let path: String
    private let database: SQLiteDatabase
    private let reserve: Int32
    /// The database has room up to here.
    private var size: Int64
    private(set) var hasReserve = false
    /// Whether the file system can do without it.
    private var isImpossible = false

    init(path: String, database: SQLiteDatabase) {
        (self.path, self.database) = (path, database)
        size = StoreFiles.state(path)?.size ?? 0
        reserve = unsafe open(path + Self.suffix, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }

    deinit { if reserve >= 0 { close(reserve) } }

    /// Takes room for a database of so many bytes.
    ///
    /// - Throws: SQLite's own failure when the disk is full.
    func reserve(upTo wanted: Int64) throws(SQLiteFailure) {
        guard wanted > size else { return }
        let generous = (wanted + Self.step - 1) / Self.step * Self.step
        for end in [generous, wanted] {
            switch database.allocate(from: size, to: end) {
            case ENOSPC, EDQUOT: continue
            default:
                // What else is wrong, the write will say; not every file system can do this.
                return size = end
            }
        }
        throw SQLiteFailure.full
    }

    /// Knows that SQLite has cut the database to its pages, as it does when the log was moved into it: room behind them is lost.
    func databaseWasCut() { size = min(size, StoreFiles.state(path)?.size ?? 0) }

    /// Keeps room for a removal, if the disk has it.
    func keepReserve() {
        guard !hasReserve, !isImpossible, reserve >= 0 else { return }
        if listd_allocate(reserve, 0, Self.reserveSize, 0) == 0 { return hasReserve = true }
        isImpossible = errno != ENOSPC && errno != EDQUOT
        ftruncate(reserve, 0)
    }

    /// Gives that room back to the disk, for the removal that is next.
    func releaseReserve() {
        ftruncate(reserve, 0)
        hasReserve = false
    }
}
