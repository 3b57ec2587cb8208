// SPDX-License-Identifier: Apache-2.0

/// A notice of inotify about a directory.
enum DirectoryNotice: Equatable, Sendable {
    /// The entry was made, changed or deleted: look at it.
    case touched(EntryPath)
    /// The entry was moved away from this name; together with the notice of the same number it is a rename.
    case movedFrom(EntryPath, cookie: UInt32)
    /// The entry was moved to this name.
    case movedTo(EntryPath, cookie: UInt32)
    /// Notices were lost: read everything again.
    case overflow
    /// The directory itself was deleted, moved or unmounted.
    case gone
}

/// The changes of a directory since its list was last updated; bursts become one change.
struct PendingChanges: Equatable, Sendable {
    /// An entry that got another name.
    struct Rename: Equatable, Sendable {
        var from: EntryPath
        var to: EntryPath
    }

    /// Renames in the order in which they happened.
    private(set) var renames: [Rename] = []
    /// The names to look at.
    private(set) var touched: Set<EntryPath> = []
    /// Whether everything is to be read again.
    private(set) var needsReading = false
    /// Whether the directory is gone.
    private(set) var isGone = false
    private var halves: [UInt32: EntryPath] = [:]

    /// Whether nothing happened.
    var isEmpty: Bool { touched.isEmpty && !needsReading && !isGone }

    /// Whether every rename has both halves: they may arrive in two reads.
    var isComplete: Bool { halves.isEmpty }

    /// Whether an entry got another name, as far as that is known yet.
    var hasRenames: Bool { !renames.isEmpty || !halves.isEmpty }

    /// Entries that were moved out of the directories that are followed.
    var departed: [EntryPath] { Array(halves.values) }

    /// Records a notice.
    ///
    /// - Returns: the rename that is complete with it, if it is one.
    @discardableResult
    mutating func record(_ notice: DirectoryNotice) -> Rename? {
        switch notice {
        case .touched(let name):
            touched.insert(name)
        case .movedFrom(let name, let cookie):
            touched.insert(name)
            halves[cookie] = name
        case .movedTo(let name, let cookie):
            if let from = halves.removeValue(forKey: cookie) { return rename(from, to: name) }
            touched.insert(name)
        case .overflow:
            needsReading = true
        case .gone:
            isGone = true
        }
        return nil
    }

    /// Records a rename: what is pending for entries below gets their new paths.
    private mutating func rename(_ old: EntryPath, to new: EntryPath) -> Rename {
        let rename = Rename(from: old, to: new)
        renames.append(rename)
        for path in touched where path.isBelow(old) {
            touched.remove(path)
            touched.insert(path.moved(from: old, to: new))
        }
        halves = halves.mapValues { $0.isBelow(old) ? $0.moved(from: old, to: new) : $0 }
        touched.insert(old)
        touched.insert(new)
        return rename
    }

    /// Returns what happened since the last call, and forgets it.
    mutating func drain() -> PendingChanges {
        defer { self = PendingChanges() }
        return self
    }
}
