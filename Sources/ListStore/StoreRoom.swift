// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Disk space that the store allocates in advance, so that lists can be removed on a full disk.
///
/// A removal needs space in the log, and then in the database file for the checkpoint. So the database file always
/// has space for everything that is committed, and a separate reserve file holds space for the log.
final class StoreRoom {
    /// The suffix of the reserve's file name, after the name of the database.
    static let suffix = "-reserve"
    /// The size of the reserve in bytes, enough to delete a part of a removed list (``StoreWriter/Part/small``).
    private static let reserveSize: Int64 = 512 << 10
    /// The increment of the database file's allocation in bytes, unless the disk has less space.
    private static let step: Int64 = 64 << 10

    private let path: String
    private let database: SQLiteDatabase
    private let reserve: Int32
    /// The number of bytes that are allocated for the database file.
    private var size: Int64
    private(set) var hasReserve = false
    /// Whether the file system cannot allocate space in advance.
    private var isImpossible = false

    init(path: String, database: SQLiteDatabase) {
        (self.path, self.database) = (path, database)
        size = StoreFiles.state(path)?.size ?? 0
        reserve = unsafe open(path + Self.suffix, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }

    deinit { if reserve >= 0 { close(reserve) } }

    /// Allocates space for a database file of a size in bytes.
    ///
    /// - Throws: the same failure as SQLite when the disk is full.
    func reserve(upTo wanted: Int64) throws(SQLiteFailure) {
        guard wanted > size else { return }
        let generous = (wanted + Self.step - 1) / Self.step * Self.step
        for end in [generous, wanted] {
            switch database.allocate(from: size, to: end) {
            case ENOSPC, EDQUOT: continue
            default:
                // Other errors are ignored: not every file system can allocate, and a real fault makes the write fail.
                return size = end
            }
        }
        throw SQLiteFailure.full
    }

    /// Updates the allocated size after a checkpoint, in which SQLite truncates the database file to its pages.
    func recordTruncation() { size = min(size, StoreFiles.state(path)?.size ?? 0) }

    /// Allocates the reserve for a later removal, unless it is allocated already or the disk lacks the space.
    func allocateReserve() {
        guard !hasReserve, !isImpossible, reserve >= 0 else { return }
        if listd_allocate(reserve, 0, Self.reserveSize, 0) == 0 { return hasReserve = true }
        isImpossible = errno != ENOSPC && errno != EDQUOT
        ftruncate(reserve, 0)
    }

    /// Frees the space of the reserve, for a removal that follows.
    func releaseReserve() {
        ftruncate(reserve, 0)
        hasReserve = false
    }
}
