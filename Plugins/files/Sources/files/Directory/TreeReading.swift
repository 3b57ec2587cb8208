// SPDX-License-Identifier: Apache-2.0

/// Reads a directory, and what is below it in a recursive list, piece by piece.
///
/// Each directory is watched before it is read: changes in it while it is read, or later, are not lost. A
/// directory that may not be read is an entry marked so; one that vanishes is left out.
final class TreeReading {
    /// A directory, and the names in it that were not looked at yet.
    private final class OpenDirectory {
        private let directory: Directory
        private var names: [EntryPath]

        init(_ directory: consuming Directory, _ names: [EntryPath]) {
            self.directory = directory
            self.names = names
        }

        /// How many names are left.
        var count: Int { names.count }

        /// Looks at the next name; false when none is left. What has vanished is left out.
        func appendNext(to append: (FileEntry) -> Void) -> Bool {
            guard let name = names.popLast() else { return false }
            if let entry = directory.entry(name) { append(entry) }
            return true
        }
    }

    /// What was found, in no order.
    private(set) var entries: [FileEntry] = []
    private let options: DirectoryOptions
    private let watch: TreeWatch?
    private var left: [(path: EntryPath, entry: FileEntry?)]
    private var current: OpenDirectory?

    /// Nothing is read yet.
    ///
    /// - Parameters:
    ///   - options: what the list shows, and how many entries may be found.
    ///   - start: the directory.
    ///   - startEntry: what is known of it, if it is an entry itself; it is then found too.
    ///   - watch: follows directories; `nil` = nobody does.
    init(_ options: DirectoryOptions, from start: EntryPath, _ startEntry: FileEntry? = nil, watch: TreeWatch?) {
        self.options = options
        self.watch = watch
        left = [(start, startEntry)]
    }

    /// Reads until a time, at least one entry; true = everything is read.
    ///
    /// - Throws: ``Tree/TooLong``; ``FileSystemError`` for a directory that cannot be followed, and for the first one if it
    ///   cannot be read.
    func proceed(until end: ContinuousClock.Instant) throws -> Bool {
        repeat {
            if current?.appendNext(to: append) != true {
                guard let (path, entry) = left.popLast() else { return true }
                current = nil
                try enter(path, entry)
            }
            guard count <= options.greatestCount else {
                throw Tree.TooLong(path: options.path, limit: options.greatestCount)
            }
        } while ContinuousClock.now < end
        return false
    }

    /// The number of entries found, those included of which only the name was read: so too many entries are noticed
    /// early.
    private var count: Int { entries.count + left.count + (current?.count ?? 0) }

    private func append(_ found: FileEntry) {
        if found.kind == .directory, options.shows(entriesOf: found.path) {
            left.append((found.path, found))
        } else {
            entries.append(found)
        }
    }

    private func enter(_ path: EntryPath, _ entry: FileEntry?) throws(FileSystemError) {
        do throws(FileSystemError) {
            let directory = try Directory(root: options.path).directory(path)
            if let watch { try watch.add(directory) }
            // One more than the limit is enough to know that there are too many.
            let names = try directory.names(upTo: max(0, options.greatestCount - count) + 1) { options.shows($0) }
            current = OpenDirectory(directory, names)
            if let entry { entries.append(entry) }
        } catch {
            guard var entry, error.isAbsence || error.isRefusal else { throw error }
            entry.isUnreadable = true
            if error.isRefusal { entries.append(entry) }
        }
    }
}
