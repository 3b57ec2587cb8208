// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// Uses up all file descriptors that this process may open, until `closeAll()` or `deinit` closes them.
final class TakenDescriptors {
    private var taken: [Int32] = []
    private var before = rlimit()

    init() throws {
        try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before) == 0)
        var few = before
        few.rlim_cur = min(before.rlim_cur, 1024)
        try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few) == 0)
        while case let descriptor = dup(STDIN_FILENO), descriptor >= 0 { taken.append(descriptor) }
    }

    /// Closes the descriptors and restores the limit.
    func closeAll() {
        for descriptor in taken { close(descriptor) }
        taken = []
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    }

    deinit { closeAll() }
}
