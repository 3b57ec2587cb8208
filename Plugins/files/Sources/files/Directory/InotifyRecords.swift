// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// One event record of inotify(7).
struct InotifyRecord: Equatable {
    /// The watch descriptor of the event; -1 for an overflow of the event queue.
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

    private func includes(_ event: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: event) != 0 }

    /// Whether events were lost.
    var isOverflow: Bool { includes(IN_Q_OVERFLOW) }

    /// Whether the watched directory was deleted, moved or unmounted, or the watch was removed.
    var isGone: Bool { includes(IN_DELETE_SELF) || includes(IN_MOVE_SELF) || includes(IN_UNMOUNT) || isWatchRemoved }

    /// Whether the kernel has removed the watch.
    var isWatchRemoved: Bool { includes(IN_IGNORED) }

    /// Returns whether an entry with one of these names was created, deleted or moved in the watched directory.
    func concerns(_ names: Set<EntryPath>) -> Bool {
        names.contains(name)
            && (includes(IN_CREATE) || includes(IN_DELETE) || includes(IN_MOVED_FROM) || includes(IN_MOVED_TO))
    }

    /// Returns the event for the list, or `nil` if the record does not concern an entry of the watched directory.
    func event(in directory: EntryPath) -> DirectoryEvent? {
        guard !name.isRoot else { return nil }
        let path = directory.child(name)
        if includes(IN_MOVED_FROM) { return .movedFrom(path, cookie: cookie) }
        if includes(IN_MOVED_TO) { return .movedTo(path, cookie: cookie) }
        return .touched(path)
    }
}

/// The sequence of event records in the bytes of one read from an inotify descriptor.
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
