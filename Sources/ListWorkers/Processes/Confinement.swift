// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import ListKit
internal import ListSupport

/// What a worker gives up before it loads its plugin.
///
/// Descriptors but its own are closed when it is started. Memory goes last, since the daemon says how much there is.
package enum Confinement {
    /// Room for the stacks of threads and what the runtime needs before the plugin takes anything.
    private static let allowance = 192 << 20

    /// Gives up new privileges, debugging by other processes, core dumps, a life after its daemon's, and all that
    /// changes files, starts programs or leaves the process group, where the kernel can enforce that; to be called
    /// while the process has one thread.
    ///
    /// - Parameter name: what ps(1) shows the process as.
    package static func begin(as name: String) -> Bool {
        unsafe listd_set_name(name)
        // Writing to a client that has left is an error, not a signal. Signals of a terminal or a service manager are
        // meant for the daemon: it ends its workers when it no longer needs them.
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        // What a plugin prints is meant for a log, and must not wait in a buffer that is lost with the process.
        listd_write_lines()
        guard listd_confine() == 0 else { return false }
        // EPERM: the filter of a service manager forbids these calls; the service manager protects the files itself.
        guard listd_forbid_changes() == 0 || [ENOSYS, EOPNOTSUPP, EPERM].contains(errno) else { return false }
        // EINVAL: the kernel was built without filters of system calls.
        return listd_stay_in_group() == 0 || [ENOSYS, EINVAL, EPERM].contains(errno)
    }

    /// Gives up all sockets but local ones in the daemon, after it has started the process that keeps them and starts
    /// the workers that may use the network. To be called while the process has one thread.
    ///
    /// - Throws: `pluginFailed` when the kernel does not take it.
    package static func keepDaemonLocal() throws(ListError) {
        guard listd_start_spawner() == 0, listd_give_up_privileges() == 0 else {
            throw ListError(
                .pluginFailed, "the process that starts workers cannot be started", cause: SystemError.text(errno))
        }
        try stayLocal()
    }

    /// Gives up all sockets but local ones, where the kernel has filters of system calls.
    ///
    /// - Throws: `pluginFailed` when the kernel has them and does not take this one; the plugin is not loaded then.
    static func stayLocal() throws(ListError) {
        let result = listd_stay_local()
        // EINVAL and ENOSYS: the kernel was built without; EPERM: the filter of a service manager, which blocks the
        // network itself.
        guard result == 0 || result < 0 && [ENOSYS, EINVAL, EPERM].contains(errno) else {
            throw ListError(
                .pluginFailed, "the network could not be given up", cause: SystemError.text(errno))
        }
    }

    /// Gives up more memory than the plugin may have.
    ///
    /// - Throws: `pluginFailed` when the kernel does not take it back; the plugin is not loaded then.
    static func limitMemory(to bytes: Int) throws(ListError) {
        guard listd_limit_data(UInt64(clamping: bytes) + UInt64(allowance)) == 0 else {
            throw ListError(.pluginFailed, "the worker's memory could not be limited", cause: SystemError.text(errno))
        }
    }
}
