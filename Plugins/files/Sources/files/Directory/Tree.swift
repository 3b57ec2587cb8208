// SPDX-License-Identifier: Apache-2.0

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
