// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// One record of what inotify says (inotify(7)).
struct InotifyRecord: Equatable {
    /// The watch that it is of; -1 for all.
    var watch: Int32
    private var mask: UInt32
    private var cookie: UInt32
    private var name: EntryPath

    fileprivate init(watch: Int32, mask: UInt32, cookie: UInt32, name: EntryPath) {
        self.watch = watch
        self.mask = mask
        self.cookie = cookie
        self.name = name
    }

    private func has(_ event: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: event) != 0 }

    /// Notices were lost.
    var isOverflow: Bool { has(IN_Q_OVERFLOW) }

    /// The watched directory was deleted, moved or unmounted, or is watched no longer.
    var isGone: Bool { has(IN_DELETE_SELF) || has(IN_MOVE_SELF) || has(IN_UNMOUNT) || isWatchOver }

    /// The kernel has dropped the watch.
    var isWatchOver: Bool { has(IN_IGNORED) }

    /// Whether it is about one of these entries of the watched directory.
    func isAbout(_ names: Set<EntryPath>) -> Bool {
        names.contains(name) && (has(IN_CREATE) || has(IN_DELETE) || has(IN_MOVED_FROM) || has(IN_MOVED_TO))
    }

    /// What it says about an entry of the watched directory; `nil` when it is about none.
    func notice(in directory: EntryPath) -> DirectoryNotice? {
        guard !name.isRoot else { return nil }
        let path = directory.child(name)
        if has(IN_MOVED_FROM) { return .movedFrom(path, cookie: cookie) }
        if has(IN_MOVED_TO) { return .movedTo(path, cookie: cookie) }
        return .touched(path)
    }
}

/// The records that a read of inotify gives.
struct InotifyRecords: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func next() -> InotifyRecord? {
        let head = Array(rest.prefix(16))
        guard head.count == 16 else { return nil }
        func number(at offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(head[offset + $1]) << (8 * UInt32($1)) }
        }
        let padded = rest.dropFirst(16).prefix(Int(number(at: 12)))
        rest = rest.dropFirst(16 + Int(number(at: 12)))
        return InotifyRecord(
            watch: Int32(bitPattern: number(at: 0)), mask: number(at: 4), cookie: number(at: 8),
            name: EntryPath(bytes: padded.prefix { $0 != 0 }))
    }
}
