/// Reads a directory, and what is below it in a recursive list.
struct Tree {
    /// A list may not become as long as this.
    struct TooLong: Error, CustomStringConvertible {
        let path: String
        let limit: Int
        var description: String {
            "\(path): more than \(limit) entries (MaximumEntries in the section [Plugin files] of listd.conf)"
        }
    }

    let options: DirectoryOptions

    /// Reads the entries below a directory, each directory after the watch was told of it: what happens in there while it is
    /// read, or later, is not lost.
    ///
    /// A directory that may not be looked into is an entry that says so; one that vanishes is left out.
    /// - Parameters:
    ///   - start: the directory.
    ///   - startEntry: what is known of it, if it is an entry itself; it is then answered too.
    ///   - limit: how many entries may be answered.
    ///   - watch: follows directories; `nil` = nobody does.
    func read(
        _ start: EntryPath, _ startEntry: FileEntry? = nil, limit: Int, watch: TreeWatch?
    ) throws -> [FileEntry] {
        var result: [FileEntry] = []
        var left: [(path: EntryPath, entry: FileEntry?)] = [(start, startEntry)]
        while let (path, entry) = left.popLast() {
            do throws(FileSystemError) {
                let inside = try entries(of: path, watch)
                if let entry { result.append(entry) }
                for found in inside {
                    if found.kind == .directory, options.shows(entriesOf: found.path) {
                        left.append((found.path, found))
                    } else {
                        result.append(found)
                    }
                }
            } catch {
                guard var entry, error.isAbsence || error.isRefusal else { throw error }
                entry.isUnreadable = true
                if error.isRefusal { result.append(entry) }
            }
            guard result.count + left.count <= limit else {
                throw TooLong(path: options.path, limit: options.greatestCount)
            }
        }
        return result
    }

    /// What is in one directory.
    private func entries(of path: EntryPath, _ watch: TreeWatch?) throws(FileSystemError) -> [FileEntry] {
        let directory = try Directory(root: options.path).directory(path)
        if let watch { try watch.add(directory) }
        return try directory.entries { options.shows($0) }
    }

    /// What there is now under some paths; `nil` where there is nothing, or nothing to be shown.
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
        let directory = try Directory(root: options.path).directory(parent)
        var statuses: [EntryPath: FileEntry?] = [:]
        for path in paths { statuses[path] = .some(options.shows(path) ? directory.entry(path.name) : nil) }
        return statuses
    }
}
