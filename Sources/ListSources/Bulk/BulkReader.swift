// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import DBus
internal import Dispatch
internal import Glibc
package import ListKit
internal import ListSupport
internal import Synchronization

/// A reader of lists that clients pass through a descriptor: a memory file, a file, a pipe or a socket
/// (`PerformUpdatesFromFile`).
///
/// Reading never blocks the caller's executor. Files are read from their start, whatever their offset. Pipes and
/// sockets are read to their end, without a thread that waits for data.
package final class BulkReader: Sendable {
    /// The limits on what is read.
    package struct Limits: Sendable, Equatable {
        /// The maximum number of bytes in one call (the contract's `FileBytes`).
        package var fileBytes = 64 << 20
        /// The maximum number of bytes that the calls of one user read at the same time. A file counts as its size, a
        /// pipe or socket as ``fileBytes``. A single call may always reach ``fileBytes``.
        package var bytesPerUser = 256 << 20
        /// The maximum time without data from a pipe or socket.
        package var idleTime = Duration.seconds(10)
        package var objects = ObjectLimits()

        /// Creates the contract's default limits.
        package init() {}
    }

    private let limits: Mutex<Limits>
    private let bytesInUse = Mutex<[UInt32: Int]>([:])
    private let queue = DispatchQueue(label: "org.listd.bulk")

    /// Creates a reader.
    package init(limits: Limits = Limits()) {
        self.limits = Mutex(limits)
    }

    /// Changes the limits for later calls.
    package func setLimits(_ limits: Limits) {
        self.limits.withLock { $0 = limits }
    }

    /// Reads the objects from a descriptor in the format `jsonl`.
    ///
    /// - Parameters:
    ///   - user: the user to whom the memory is charged.
    ///   - identify: the identifiers of objects without one.
    /// - Throws: `invalidArguments` for a descriptor that is not a file, pipe or socket, or that cannot be read, and
    ///   after ten seconds without data; `payloadTooLarge` and `limitsExceeded` beyond the limits; `invalidObject`
    ///   that names the faulty line. When the task is cancelled, the call ends with `invalidArguments`.
    package func objects(
        from file: FileDescriptor, user: UInt32, identify: Identify = .none
    ) async throws(ListError) -> [ListObject] {
        let limits = limits.withLock { $0 }
        let account = BulkAccount(reader: self, user: user, limits: limits)
        let text = try await read(file, account)
        return try await Self.offExecutor { () throws(ListError) in
            // The bytes stay reserved until they have been decoded.
            defer { account.close() }
            var decoder = try JSONLDecoder(limits: limits.objects, identify: identify)
            return try decoder.objects(in: text.span)
        }
    }

    private func read(_ file: FileDescriptor, _ account: BulkAccount) async throws(ListError) -> [UInt8] {
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0 else { throw .unreadable(errno: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            try Self.refuseUserFileSystem(file)
            try account.reserve(Int(status.st_size))
            return try await Self.offExecutor { () throws(ListError) in try Self.readWhole(file, account) }
        case S_IFIFO, S_IFSOCK:
            let isSocket = status.st_mode & S_IFMT == S_IFSOCK
            try account.reserve(account.limits.fileBytes)
            return try await StreamRead(file, isSocket: isSocket, account: account, queue: queue).bytes()
        case S_IFDIR: throw ListError(.invalidArguments, "file: the descriptor is a directory")
        case S_IFCHR, S_IFBLK: throw ListError(.invalidArguments, "file: the descriptor is a device")
        default: throw ListError(.invalidArguments, "file: the descriptor is not a file, pipe or socket")
        }
    }

    /// Throws for a file on a FUSE file system, which may never answer and would block a thread.
    private static func refuseUserFileSystem(_ file: FileDescriptor) throws(ListError) {
        switch listd_is_on_fuse(file.rawValue) {
        case 0: return
        case 1:
            throw ListError(
                .invalidArguments, "file: the file is on a FUSE file system; send the content through a pipe")
        default: throw .unreadable(errno: errno)
        }
    }

    /// Reads a file from its start to its end.
    private static func readWhole(_ file: FileDescriptor, _ account: BulkAccount) throws(ListError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = unsafe pread(file.rawValue, &chunk, chunk.count, off_t(bytes.count))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(errno: errno) }
            if count == 0 { return bytes }
            try account.countRead(count)
            bytes += chunk.prefix(count)
        }
    }

    /// Runs long work on a thread of Dispatch.
    private static func offExecutor<Result: Sendable>(
        _ work: @escaping @Sendable () throws(ListError) -> Result
    ) async throws(ListError) -> Result {
        let outcome: Swift.Result<Result, ListError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Swift.Result(catching: work)) }
        }
        return try outcome.get()
    }

    /// Returns the number of bytes that are reserved for the calls of a user. The bytes of a call are reserved until
    /// its objects are decoded.
    package func bytesHeld(for user: UInt32) -> Int { bytesInUse.withLock { $0[user] ?? 0 } }

    /// The number of bytes that are reserved for the calls of all users.
    package var bytesHeld: Int { bytesInUse.withLock { $0.values.reduce(0, +) } }

    /// Changes the number of bytes that are reserved for a user by `count`, which may be negative. Does nothing and
    /// returns false if the user would have more than `limit` bytes.
    fileprivate func changeReserved(by count: Int, for user: UInt32, atMost limit: Int) -> Bool {
        bytesInUse.withLock { use in
            let sum = use[user, default: 0] + count
            guard count <= 0 || sum <= limit else { return false }
            use[user] = sum > 0 ? sum : nil
            return true
        }
    }
}

/// The bytes that one call holds in memory. They are reserved for the call's user until the account is closed.
final class BulkAccount: Sendable {
    private let reader: BulkReader
    private let user: UInt32
    private let count = Mutex((reserved: 0, used: 0))
    let limits: BulkReader.Limits

    init(reader: BulkReader, user: UInt32, limits: BulkReader.Limits) {
        self.reader = reader
        self.user = user
        self.limits = limits
    }

    /// Reserves the bytes that the call is expected to need in total.
    ///
    /// - Throws: `payloadTooLarge` beyond the limit of one call, `limitsExceeded` when the user's other calls leave
    ///   too little room.
    func reserve(_ bytes: Int) throws(ListError) {
        guard bytes <= limits.fileBytes else {
            throw LimitKey.fileBytes.refusal(
                .payloadTooLarge, "file: the content has more than \(limits.fileBytes) bytes")
        }
        let more = count.withLock { max(0, bytes - $0.reserved) }
        let limit = max(limits.bytesPerUser, limits.fileBytes)
        guard reader.changeReserved(by: more, for: user, atMost: limit) else {
            throw ListError(
                .limitsExceeded,
                "user \(user) has reached the limit of \(limit) bytes in files that are read at the same time; a pipe "
                    + "counts as FileBytes"
            )
        }
        count.withLock { $0.reserved += more }
    }

    /// Counts bytes that were read, and reserves more if needed: a file may have grown.
    func countRead(_ bytes: Int) throws(ListError) {
        let total = count.withLock { count in
            count.used += bytes
            return count.used
        }
        try reserve(total)
    }

    /// Releases the bytes that are reserved for the call.
    func close() {
        let reserved = count.withLock { count in
            defer { count = (0, 0) }
            return count.reserved
        }
        _ = reader.changeReserved(by: -reserved, for: user, atMost: .max)
    }

    deinit { close() }
}

extension ListError {
    /// The error of a descriptor that cannot be read.
    static func unreadable(errno number: Int32) -> ListError {
        ListError(.invalidArguments, "file: the descriptor cannot be read", cause: SystemError.text(number))
    }
}
