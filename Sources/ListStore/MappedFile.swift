// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// A read-only memory mapping of a file. The mapping ends with this object.
@safe final class MappedFile {
    // Owned by this object, which unmaps it; nil for an empty file.
    private let start: UnsafeMutableRawPointer?
    private let count: Int

    /// Maps a file. The result is nil if the file cannot be read.
    init?(_ path: String) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var state = listd_file_state()
        guard unsafe listd_state_of(file, &state) == 0, state.is_regular != 0 else { return nil }
        count = Int(state.size)
        guard count > 0 else {
            unsafe start = nil
            return
        }
        let mapped = unsafe mmap(nil, count, PROT_READ, Int32(MAP_PRIVATE), file, 0)
        guard unsafe mapped != MAP_FAILED else { return nil }
        unsafe start = mapped
    }

    deinit {
        if let start = unsafe start { unsafe munmap(start, count) }
    }

    /// Calls `body` with the bytes of the file, which are valid during the call.
    @unsafe func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
