// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Confinement
internal import Glibc
package import ListKit
internal import ListSupport

/// The privileges and resources that a worker drops before it loads its plugin.
///
/// The daemon's descriptors were already closed when the process was started. The limit of memory comes last, as the
/// daemon sends it with ``Order/load(_:)``.
package enum Confinement {
    /// The environment variable with the paths that a worker may change, separated by line breaks.
    static let writablePaths = "LISTD_WRITABLE_PATHS"
    /// The memory for stacks of threads and the Swift runtime, in bytes, which is added to the plugin's own limit.
    static let allowance = 192 << 20

    /// Confines the process; to be called while it has one thread.
    ///
    /// Afterwards it cannot gain privileges, be debugged by other processes, dump core, or outlive the daemon. Where
    /// the kernel can enforce it, the process also cannot change files (but in `WritablePaths` of the plugin), start programs or leave its process group.
    ///
    /// - Parameter name: the name that ps(1) shows.
    /// - Returns: false if the kernel has refused a restriction that it supports.
    package static func begin(as name: String) -> Bool {
        unsafe listd_set_name(name)
        // Writing to a disconnected client returns an error instead of raising SIGPIPE. The other signals, from a
        // terminal or a service manager, are meant for the daemon, which ends its workers itself.
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        // A plugin's output goes to the log, and must not stay in a buffer that is lost when the process dies.
        listd_write_lines()
        guard listd_confine() == 0 else { return false }
        // EPERM: a system call filter of the service manager forbids these calls, and the manager protects the files
        // itself.
        guard forbidChanges() == 0 || [ENOSYS, EOPNOTSUPP, EPERM].contains(errno) else { return false }
        // EINVAL: the kernel was built without seccomp(2).
        return listd_stay_in_group() == 0 || [ENOSYS, EINVAL, EPERM].contains(errno)
    }

    private static func forbidChanges() -> Int32 {
        let paths = (Environment.value(of: writablePaths) ?? "").split(separator: "\n").map(String.init)
        // Copies that are freed after the call, with a null pointer as the end of the array.
        let copies = unsafe paths.map { unsafe strdup($0) }
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        let array = unsafe copies.map { unsafe UnsafePointer($0) } + [nil]
        return unsafe array.withUnsafeBufferPointer { unsafe listd_forbid_changes($0.baseAddress) }
    }

    /// Restricts the daemon to Unix sockets; to be called while the process has one thread.
    ///
    /// Before that, it starts a helper process that may still use the network. The helper starts the workers with
    /// network access.
    ///
    /// - Throws: `pluginFailed` when the helper cannot be started, or the kernel refuses the restriction.
    package static func restrictDaemonToUnixSockets() throws(ListError) {
        guard listd_start_spawner() == 0, listd_give_up_privileges() == 0 else {
            throw ListError(
                .pluginFailed, "the helper process that starts workers with network access could not be started",
                cause: SystemError.text(errno))
        }
        try restrictToUnixSockets()
    }

    /// Restricts the process to Unix sockets, where the kernel has seccomp(2).
    ///
    /// - Throws: `pluginFailed` when the kernel has seccomp and refuses the filter; the plugin is not loaded then.
    static func restrictToUnixSockets() throws(ListError) {
        let result = listd_stay_local(1)
        // EINVAL and ENOSYS: the kernel was built without seccomp. EPERM: a filter of the service manager forbids the
        // call, and the manager restricts the network itself.
        guard result == 0 || result < 0 && [ENOSYS, EINVAL, EPERM].contains(errno) else {
            throw ListError(
                .pluginFailed, "network access could not be blocked", cause: SystemError.text(errno))
        }
    }

    /// Limits the memory of the process to that of the plugin and ``allowance``.
    ///
    /// - Throws: `pluginFailed` when the kernel refuses the limit; the plugin is not loaded then.
    static func limitMemory(to bytes: Int) throws(ListError) {
        guard listd_limit_data(UInt64(clamping: bytes) + UInt64(allowance)) == 0 else {
            throw ListError(.pluginFailed, "the worker's memory could not be limited", cause: SystemError.text(errno))
        }
    }
}
