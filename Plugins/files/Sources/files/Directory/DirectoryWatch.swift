internal import Glibc

/// The inotify watch of one directory.
struct DirectoryWatch {
    /// Becomes readable when there are notices; whoever watches it closes it.
    let descriptor: Int32

    private static let events =
        IN_CREATE | IN_DELETE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF

    /// Begins to watch a directory.
    init(path: String) throws(FileSystemError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw FileSystemError(subject: "inotify", code: errno) }
        let mask = UInt32(Self.events) | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)
        // The path outlives the call.
        guard unsafe inotify_add_watch(descriptor, path, mask) >= 0 else {
            let code = errno
            close(descriptor)
            throw FileSystemError(subject: path, code: code)
        }
    }

    /// Hands over all notices that are waiting; one that cannot be read counts as lost.
    func drain(_ body: (DirectoryNotice) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            // The buffer is as long as said.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count < 0, errno != EAGAIN { body(.overflow) }
                return
            }
            for notice in InotifyRecords(bytes: buffer.prefix(count)) { body(notice) }
        }
    }
}

/// The records that a read of inotify gives, as notices (inotify(7)).
struct InotifyRecords: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Skips records that say nothing about the directory.
    mutating func next() -> DirectoryNotice? {
        while let record = nextRecord() {
            if let notice = record.notice { return notice }
        }
        return nil
    }

    private struct Record {
        var mask: UInt32
        var cookie: UInt32
        var name: FileName

        private func has(_ event: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: event) != 0 }

        var notice: DirectoryNotice? {
            if has(IN_Q_OVERFLOW) { return .overflow }
            if has(IN_DELETE_SELF) || has(IN_MOVE_SELF) || has(IN_UNMOUNT) || has(IN_IGNORED) { return .gone }
            if name.bytes.isEmpty { return nil }
            if has(IN_MOVED_FROM) { return .movedFrom(name, cookie: cookie) }
            if has(IN_MOVED_TO) { return .movedTo(name, cookie: cookie) }
            return .touched(name)
        }
    }

    private mutating func nextRecord() -> Record? {
        let head = Array(rest.prefix(16))
        guard head.count == 16 else { return nil }
        func number(at offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(head[offset + $1]) << (8 * UInt32($1)) }
        }
        let padded = rest.dropFirst(16).prefix(Int(number(at: 12)))
        rest = rest.dropFirst(16 + Int(number(at: 12)))
        return Record(mask: number(at: 4), cookie: number(at: 8), name: FileName(bytes: padded.prefix { $0 != 0 }))
    }
}
