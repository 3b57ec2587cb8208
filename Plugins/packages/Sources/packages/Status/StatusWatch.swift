// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The inotify watch of a file's directory. dpkg writes a new status file and renames it over the old one; a watch
/// of the file itself would miss that.
struct StatusWatch {
    private static let events =
        IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF
        | IN_MOVE_SELF

    /// The inotify descriptor, which becomes readable at each change in the directory. The caller closes it.
    let descriptor: Int32

    init(directory: String) throws(SystemError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError(path: "inotify", code: errno) }
        // The path outlives the call.
        guard unsafe inotify_add_watch(descriptor, directory, UInt32(Self.events) | UInt32(IN_ONLYDIR)) >= 0 else {
            let code = errno
            close(descriptor)
            throw SystemError(path: directory, code: code)
        }
    }

    /// Reads and discards the waiting event records; the file has to be read again after any of them.
    ///
    /// - Returns: Whether the directory itself was removed or replaced, so that the watch has ended.
    func drain() -> Bool {
        let ends = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)
        var isGone = false
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            // The buffer has the passed length.
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return isGone }
            var rest = buffer.prefix(count)
            // A record: watch, mask, cookie, length, and as many bytes of a name (inotify(7)).
            while rest.count >= 16 {
                func number(at offset: Int) -> UInt32 {
                    (0..<4).reduce(0) { $0 | UInt32(rest[rest.startIndex + offset + $1]) << (8 * UInt32($1)) }
                }
                if number(at: 4) & ends != 0 { isGone = true }
                rest = rest.dropFirst(16 + Int(number(at: 12)))
            }
        }
    }
}
