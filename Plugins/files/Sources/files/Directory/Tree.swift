// SPDX-License-Identifier: Apache-2.0

/// Looks at a directory, and at what is below it in a recursive list; ``TreeReading`` reads all of it.
struct Tree {
    /// The list would be longer than allowed.
    struct TooLong: Error, CustomStringConvertible {
        let path: String
        let limit: Int
        var description: String {
            "\(path): more than \(limit) entries (MaximumEntries in the section [Plugin files] of listd.conf)"
        }
    }

    let options: DirectoryOptions

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
