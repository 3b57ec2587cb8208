// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// The bytes of a file, mapped as long as this object lives.
@safe final class MappedFile {
    // Owned by this object, which unmaps it; nil for an empty file.
    private let start: UnsafeMutableRawPointer?
    private let count: Int

    /// Maps a file; nil when it cannot be read.
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

    /// Lends the bytes for the time of the call.
    @unsafe func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
