// SPDX-License-Identifier: Apache-2.0

internal import Confinement
internal import Dispatch
internal import Glibc
@_spi(Daemon) internal import PluginAPI
internal import PoolThreads

/// A thread with the restrictions of a plugin's worker, on which a data source runs its callbacks.
///
/// It and the threads that the source starts can change no files but those of `writablePaths`, start no programs, and
/// without a network open Unix sockets only. Restrictions of a thread last as long as the thread, so they have one of
/// their own, and the test itself is not restricted. Work of the source on Dispatch queues of its own is not either.
final class ConfinedThread: DataSourceWatcher {
    /// What the thread and its user share. The thread keeps it, so that it can end after its user.
    private final class Shared: @unchecked Sendable {
        // The user sets `body` before `wanted` is signalled and reads nothing before `done` is; the thread does the
        // reverse. So only one of them uses it at a time.
        var body: (() -> Void)?
        let wanted = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        let writablePaths: [String]
        let hasNetwork: Bool

        init(_ writablePaths: [String], _ hasNetwork: Bool) {
            self.writablePaths = writablePaths
            self.hasNetwork = hasNetwork
        }
    }

    private let shared: Shared
    /// Whether there is a thread; without one, callbacks run without restrictions.
    private let isRunning: Bool

    init(writablePaths: [String], hasNetwork: Bool) {
        let shared = Shared(writablePaths, hasNetwork)
        self.shared = shared
        listd_start_pool_threads()
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(shared).toOpaque()
        let error = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                ConfinedThread.run(unsafe Unmanaged<Shared>.fromOpaque(context).takeRetainedValue())
                return nil
            }, context)
        isRunning = error == 0
        if isRunning { pthread_detach(thread) }
    }

    deinit {
        shared.body = nil
        shared.wanted.signal()
    }

    func willCall(_ callback: DataSourceCallback) {}
    func didCall() {}
    func willWait() {}
    func didWait() {}

    func perform(_ body: () -> Void) {
        guard isRunning else { return body() }
        withoutActuallyEscaping(body) { body in
            shared.body = body
            shared.wanted.signal()
            shared.done.wait()
            shared.body = nil
        }
    }

    private static func run(_ shared: Shared) {
        confine(shared)
        while true {
            shared.wanted.wait()
            guard runBody(of: shared) else { return }
            shared.done.signal()
        }
    }

    /// Runs what is wanted, and keeps no reference to it; nothing is wanted: `false`.
    @inline(never)
    private static func runBody(of shared: Shared) -> Bool {
        guard let body = shared.body else { return false }
        body()
        return true
    }

    /// Applies the restrictions that the kernel supports, as a worker does.
    private static func confine(_ shared: Shared) {
        listd_share_no_restrictions()
        _ = listd_forbid_privileges()
        let copies = unsafe shared.writablePaths.map { unsafe strdup($0) }
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        let paths = unsafe copies.map { unsafe UnsafePointer($0) } + [nil]
        _ = unsafe paths.withUnsafeBufferPointer { unsafe listd_forbid_changes($0.baseAddress) }
        _ = listd_stay_in_group()
        if !shared.hasNetwork { _ = listd_stay_local(0) }
    }
}
