// SPDX-License-Identifier: Apache-2.0

/// An event of inotify in a listed directory.
enum DirectoryEvent: Equatable, Sendable {
    /// The entry was created, changed or deleted; its attributes have to be read.
    case touched(EntryPath)
    /// The entry was moved away from this name. Together with the ``movedTo(_:cookie:)`` of the same cookie it is a
    /// rename.
    case movedFrom(EntryPath, cookie: UInt32)
    /// The entry was moved to this name.
    case movedTo(EntryPath, cookie: UInt32)
    /// Events were lost; everything has to be read again.
    case overflow
    /// The listed directory itself was deleted, moved or unmounted.
    case gone
}

/// Collects the changes of a directory until its list is updated, so that a burst becomes one update.
struct PendingChanges: Equatable, Sendable {
    /// A rename of an entry.
    struct Rename: Equatable, Sendable {
        var from: EntryPath
        var to: EntryPath
    }

    /// Renames in the order in which they happened.
    private(set) var renames: [Rename] = []
    /// The paths of entries whose attributes have to be read.
    private(set) var touched: Set<EntryPath> = []
    /// Whether everything has to be read again.
    private(set) var needsReading = false
    /// Whether the listed directory is gone.
    private(set) var isGone = false
    private var unmatchedMoves: [UInt32: EntryPath] = [:]

    /// Whether there are no changes.
    var isEmpty: Bool { touched.isEmpty && !needsReading && !isGone }

    /// Whether both events of every rename have arrived. They may arrive in two reads.
    var isComplete: Bool { unmatchedMoves.isEmpty }

    /// Whether an entry was renamed, or the first event of a rename has arrived.
    var hasRenames: Bool { !renames.isEmpty || !unmatchedMoves.isEmpty }

    /// The former paths of entries that were moved out of the watched directories.
    var departed: [EntryPath] { Array(unmatchedMoves.values) }

    /// Records an event.
    ///
    /// - Returns: The rename that this event completes, if any.
    @discardableResult
    mutating func record(_ event: DirectoryEvent) -> Rename? {
        switch event {
        case .touched(let name):
            touched.insert(name)
        case .movedFrom(let name, let cookie):
            touched.insert(name)
            unmatchedMoves[cookie] = name
        case .movedTo(let name, let cookie):
            if let from = unmatchedMoves.removeValue(forKey: cookie) { return recordRename(from: from, to: name) }
            touched.insert(name)
        case .overflow:
            needsReading = true
        case .gone:
            isGone = true
        }
        return nil
    }

    /// Records a rename, and updates the pending paths of entries below the renamed one.
    private mutating func recordRename(from old: EntryPath, to new: EntryPath) -> Rename {
        let rename = Rename(from: old, to: new)
        renames.append(rename)
        for path in touched where path.isBelow(old) {
            touched.remove(path)
            touched.insert(path.moved(from: old, to: new))
        }
        unmatchedMoves = unmatchedMoves.mapValues { $0.isBelow(old) ? $0.moved(from: old, to: new) : $0 }
        touched.insert(old)
        touched.insert(new)
        return rename
    }

    /// Returns the collected changes and removes them.
    mutating func drain() -> PendingChanges {
        defer { self = PendingChanges() }
        return self
    }
}
