// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// The identity and modification time of a plugin's file, by which a replaced file is recognised.
struct PluginFileState: Sendable, Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// Reads the state of a file; nil when stat(2) fails.
    init?(of path: String) {
        var state = listd_file_state()
        guard unsafe listd_state_at(path, &state) == 0 else { return nil }
        device = state.device
        inode = state.inode
        size = state.size
        seconds = state.modified_seconds
        nanoseconds = state.modified_nanoseconds
    }
}
