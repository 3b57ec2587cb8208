// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
package import ListKit

extension SQLiteStore {
    /// Pages that are copied between two turns of the store, so that writes go on meanwhile.
    private static let pagesAtOnce: Int32 = 512

    /// How the names of copies begin that are on their way to whom they are for.
    private static let temporaryName = fileName + ".backup-"

    /// Removes what a process left behind that was killed while it made a backup.
    static func removeRemains(in directory: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        where name.hasPrefix(temporaryName) {
            try? FileManager.default.removeItem(atPath: directory + "/" + name)
        }
    }

    /// Writes a copy of everything that is stored into an open file, which it truncates first.
    ///
    /// The copy is made in the state directory (SQLite's online backup wants a path) and goes from there.
    ///
    /// - Throws: `invalidArguments` for what is no regular file or not open for writing, `storeFailed` when
    ///   the copy cannot be made or another one is under way.
    package func backUp(toDescriptor descriptor: Int32) async throws(ListError) {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw ListError(.invalidArguments, "file: not a regular file")
        }
        let mode = fcntl(descriptor, F_GETFL) & O_ACCMODE
        guard mode == O_WRONLY || mode == O_RDWR else {
            throw ListError(.invalidArguments, "file: not open for writing")
        }
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        let copy = directory.appending(path: Self.temporaryName + UUID().uuidString)
        do throws(ListError) {
            try await backUp(to: copy.path)
        } catch {
            try? FileManager.default.removeItem(at: copy)
            throw error
        }
        let failure: ListError? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                defer { try? FileManager.default.removeItem(at: copy) }
                continuation.resume(returning: Self.send(copy, to: descriptor))
            }
        }
        if let failure { throw failure }
    }

    private static func send(_ copy: URL, to descriptor: Int32) -> ListError? {
        do {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(contentsOf: copy, options: .alwaysMapped))
            try file.synchronize()
            return nil
        } catch {
            return ListError(.storeFailed, "file: the backup could not be written", cause: "\(error)")
        }
    }

    /// Copies everything that is stored into a file of its own (SQLite's online backup); what is written meanwhile is in
    /// the copy too.
    ///
    /// The lists in the copy have no epochs: whoever opens it gives them new ones, since clients may know revisions that
    /// come after it.
    package func backUp(to path: String) async throws(ListError) {
        try await onQueue { [owned] connection throws(SQLiteFailure) in
            guard owned.backup == nil else { throw SQLiteFailure(code: 5, message: "another backup is under way") }
            owned.backup = try SQLiteBackup(of: connection.database, to: try SQLiteDatabase(path: path))
        }
        while try await !copySomePages(to: path) {}
    }

    private func copySomePages(to path: String) async throws(ListError) -> Bool {
        try await onQueue { [owned] _ throws(SQLiteFailure) in
            guard let backup = owned.backup else { throw SQLiteFailure(code: 4, message: "the backup was given up") }
            do throws(SQLiteFailure) {
                let isDone = try backup.step(pages: Self.pagesAtOnce)
                if isDone {
                    owned.backup = nil
                    try SQLiteDatabase(path: path).execute("UPDATE adapter SET epoch = ''")
                }
                return isDone
            } catch {
                owned.backup = nil
                throw error
            }
        }
    }
}
