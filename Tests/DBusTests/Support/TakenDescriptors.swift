// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// Uses up all descriptors that this process may have, until they are closed.
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

    /// Closes them; at the latest `deinit` does.
    func giveBack() {
        for descriptor in taken { close(descriptor) }
        taken = []
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    }

    deinit { giveBack() }
}
