// SPDX-License-Identifier: Apache-2.0

/// Reads a directory, and the directories below it in a recursive list, piece by piece.
///
/// Each directory is watched before it is read, so that no change during or after the reading is lost. A directory
/// that may not be read is listed and marked as unreadable; one that vanishes is left out.
final class TreeReading {
    /// An open directory, and its names whose attributes are not read yet.
    private final class OpenDirectory {
        private let directory: Directory
        private var names: [EntryPath]

        init(_ directory: consuming Directory, _ names: [EntryPath]) {
            self.directory = directory
            self.names = names
        }

        /// The number of names whose attributes are not read yet.
        var count: Int { names.count }

        /// Reads the attributes of the next name and passes them to `append`, unless the entry has vanished.
        /// Returns `false` if no name is left.
        func appendNext(to append: (FileEntry) -> Void) -> Bool {
            guard let name = names.popLast() else { return false }
            if let entry = directory.entry(named: name) { append(entry) }
            return true
        }
    }

    /// The entries found so far, in no order.
    private(set) var entries: [FileEntry] = []
    private let options: DirectoryOptions
    private let watch: TreeWatch?
    private var left: [(path: EntryPath, entry: FileEntry?)]
    private var current: OpenDirectory?

    /// Prepares a reading; ``proceed(until:)`` does the work.
    ///
    /// - Parameters:
    ///   - options: What the list shows, and the maximum number of entries.
    ///   - start: The directory at which to start.
    ///   - startEntry: The entry of this directory if the list shows it; it is then among the results.
    ///   - watch: The watch that is to follow each directory; `nil` = none.
    init(_ options: DirectoryOptions, from start: EntryPath, _ startEntry: FileEntry? = nil, watch: TreeWatch?) {
        self.options = options
        self.watch = watch
        left = [(start, startEntry)]
    }

    /// Reads until `end`, at least one entry. Returns `true` when everything is read.
    ///
    /// - Throws: ``Tree/TooLong``; ``FileSystemError`` for a directory that cannot be watched, and for the first
    ///   one if it cannot be read.
    func proceed(until end: ContinuousClock.Instant) throws -> Bool {
        repeat {
            if current?.appendNext(to: append) != true {
                guard let (path, entry) = left.popLast() else { return true }
                current = nil
                try enterDirectory(path, entry: entry)
            }
            guard count <= options.maximumCount else {
                throw Tree.TooLong(path: options.path, limit: options.maximumCount)
            }
        } while ContinuousClock.now < end
        return false
    }

    /// The number of entries found, including those of which only the name was read, so that too many entries are
    /// detected early.
    private var count: Int { entries.count + left.count + (current?.count ?? 0) }

    private func append(_ found: FileEntry) {
        if found.kind == .directory, options.shows(entriesOf: found.path) {
            left.append((found.path, found))
        } else {
            entries.append(found)
        }
    }

    private func enterDirectory(_ path: EntryPath, entry: FileEntry?) throws(FileSystemError) {
        do throws(FileSystemError) {
            let directory = try Directory(root: options.path).openDirectory(at: path)
            if let watch { try watch.add(directory) }
            // One name above the limit is enough to detect too many entries.
            let names = try directory.names(upTo: max(0, options.maximumCount - count) + 1) { options.shows($0) }
            current = OpenDirectory(directory, names)
            if let entry { entries.append(entry) }
        } catch {
            guard var entry, error.isAbsence || error.isRefusal else { throw error }
            entry.isUnreadable = true
            if error.isRefusal { entries.append(entry) }
        }
    }
}

/// Reads the attributes of single entries of a listed directory, and of the directories below it in a recursive
/// list. ``TreeReading`` reads the whole tree.
struct Tree {
    /// The error of a list that would have more entries than allowed.
    struct TooLong: Error, CustomStringConvertible {
        let path: String
        let limit: Int
        var description: String {
            "\(path) has more than \(limit) entries (MaximumEntries in the section [Plugin files] of listd.conf)"
        }
    }

    let options: DirectoryOptions

    /// Returns the present entries of some paths; `nil` for a path that does not exist or is not shown.
    func statuses(of paths: Set<EntryPath>) throws(FileSystemError) -> [EntryPath: FileEntry?] {
        var statuses: [EntryPath: FileEntry?] = [:]
        for (parent, paths) in Dictionary(grouping: paths, by: \.parent) {
            do throws(FileSystemError) {
                statuses.merge(try self.statuses(of: paths, in: parent)) { $1 }
            } catch {
                guard !parent.isRoot, error.isAbsence || error.isRefusal else { throw error }
                for path in paths { statuses[path] = .some(nil) }
            }
        }
        return statuses
    }

    private func statuses(
        of paths: [EntryPath], in parent: EntryPath
    ) throws(FileSystemError) -> [EntryPath: FileEntry?] {
        let directory = try Directory(root: options.path).openDirectory(at: parent)
        var statuses: [EntryPath: FileEntry?] = [:]
        for path in paths { statuses[path] = .some(options.shows(path) ? directory.entry(named: path.name) : nil) }
        return statuses
    }
}
