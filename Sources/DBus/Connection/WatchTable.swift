// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The owner of a watch table: a connection or a server.
@DBusActor
protocol WatchTableOwner: AnyObject {
    /// Called when libdbus has handled a watch or a timeout, so messages may have arrived.
    func didHandleWatches()
    /// Called before libdbus reads from the socket.
    func willRead()
    /// Called when reading resumes after a pause.
    func didResumeReading()
    /// Called when the other end has closed the socket or its sending direction while reading is paused, if
    /// `watchesHangUps` is set.
    func didHangUp()
}

extension WatchTableOwner {
    func willRead() {}
    func didResumeReading() {}
    func didHangUp() {}
}

/// The watches and timeouts of one libdbus connection or server on the event loop.
///
/// libdbus calls these functions while it holds its connection lock, so they only record changes and never call back
/// into the connection. Several watches of one descriptor are merged.
@safe
@DBusActor
final class WatchTable {
    private var descriptors: [Int32: WatchedDescriptor] = [:]
    private var timeouts: [OpaquePointer: LoopTimer] = unsafe [:]
    private weak var owner: (any WatchTableOwner)?
    /// Whether reading is paused, so that received data stays in the socket.
    private(set) var readingIsPaused = false
    /// Whether reading is paused because there is no room for the incomplete message.
    private(set) var waitsForRoom = false
    /// Whether the owner is notified when the other end closes while reading is paused.
    private(set) var watchesHangUps = false

    /// Sets the owner, which is kept until `removeAll`.
    func setOwner(_ owner: any WatchTableOwner) { self.owner = owner }

    func setReadingPaused(_ flag: Bool) { updatePausing { readingIsPaused = flag } }

    func setWaitsForRoom(_ flag: Bool) { updatePausing { waitsForRoom = flag } }

    func setWatchesHangUps(_ flag: Bool) { updatePausing { watchesHangUps = flag } }

    private func updatePausing(_ set: () -> Void) {
        let wasSilent = isSilent
        set()
        for descriptor in descriptors.keys { EventLoop.shared.reactor.recordInterestChange(of: descriptor) }
        if wasSilent, !isSilent { owner?.didResumeReading() }
    }

    /// Whether reading is paused for any reason.
    fileprivate var isSilent: Bool { readingIsPaused || waitsForRoom }

    /// Whether the socket is being read. libdbus itself disables reading while unreleased messages hold too many
    /// bytes.
    var isReading: Bool { !isSilent && descriptors.values.contains(where: \.isReadable) }

    nonisolated init() {}

    fileprivate func didHandle() { owner?.didHandleWatches() }

    fileprivate func willRead() { owner?.willRead() }

    fileprivate func handleHangUp() { owner?.didHangUp() }

    /// Removes all watches and timeouts. libdbus must not use this table afterwards.
    func removeAll() {
        owner = nil
        for descriptor in descriptors.keys { EventLoop.shared.reactor.remove(descriptor: descriptor) }
        for timer in unsafe Array(timeouts.values) { timer.cancel() }
        descriptors = [:]
        unsafe timeouts = [:]
    }
}

// MARK: - Watches

extension WatchTable {
    func add(watch: Watch) -> Bool {
        let number = watch.descriptor
        if let known = descriptors[number] {
            known.watches.append(watch)
            EventLoop.shared.reactor.recordInterestChange(of: number)
            return true
        }
        let descriptor = WatchedDescriptor(table: self)
        descriptor.watches.append(watch)
        guard EventLoop.shared.reactor.add(descriptor, descriptor: number) else { return false }
        descriptors[number] = descriptor
        return true
    }

    /// Removes a watch. Its descriptor may be closed immediately after this call.
    func remove(watch: Watch) {
        let number = watch.descriptor
        guard let descriptor = descriptors[number] else { return }
        descriptor.watches.removeAll { $0 == watch }
        if descriptor.watches.isEmpty {
            descriptors[number] = nil
            EventLoop.shared.reactor.remove(descriptor: number)
        } else {
            EventLoop.shared.reactor.recordInterestChange(of: number)
        }
    }

    func updateToggled(watch: Watch) {
        if watch.isEnabled, watch.isForReading, !isSilent { owner?.didResumeReading() }
        EventLoop.shared.reactor.recordInterestChange(of: watch.descriptor)
    }
}

/// A watch of libdbus. libdbus owns it and calls `remove(watch:)` before it frees it.
@safe
struct Watch: Equatable {
    let pointer: OpaquePointer

    var descriptor: Int32 { unsafe dbus_watch_get_unix_fd(pointer) }
    var isEnabled: Bool { unsafe dbus_watch_get_enabled(pointer) != 0 }
    var flags: UInt32 { unsafe dbus_watch_get_flags(pointer) }
    var isForReading: Bool { flags & DBUS_WATCH_READABLE.rawValue != 0 }

    static func == (left: Watch, right: Watch) -> Bool { unsafe left.pointer == right.pointer }

    func handle(_ events: UInt32) {
        unsafe dbus_watch_handle(pointer, events)
    }
}

/// A descriptor of libdbus with its watches, usually one for reading and one for writing.
@DBusActor
private final class WatchedDescriptor: DescriptorSource {
    fileprivate(set) var watches: [Watch] = []
    private weak var table: WatchTable?

    init(table: WatchTable) {
        self.table = table
    }

    var interest: UInt32 {
        guard let table else { return 0 }
        var mask: UInt32 = 0
        for watch in watches where watch.isEnabled {
            if watch.isForReading {
                let whilePaused = table.watchesHangUps ? EPOLLRDHUP.rawValue : 0
                mask |= table.isSilent ? whilePaused : EPOLLIN.rawValue
            }
            if watch.flags & DBUS_WATCH_WRITABLE.rawValue != 0 { mask |= EPOLLOUT.rawValue }
        }
        return mask
    }

    var isReadable: Bool { watches.contains { $0.isEnabled && $0.isForReading } }

    func didBecomeReady(for events: UInt32) {
        let table = table
        // libdbus notices the end only by reading, and unread calls come before the end.
        let ends = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
        if let table, table.watchesHangUps, table.isSilent, events & ends != 0 { return table.handleHangUp() }
        var flags: UInt32 = 0
        if events & EPOLLIN.rawValue != 0 { flags |= DBUS_WATCH_READABLE.rawValue }
        if events & EPOLLOUT.rawValue != 0 { flags |= DBUS_WATCH_WRITABLE.rawValue }
        if events & EPOLLERR.rawValue != 0 { flags |= DBUS_WATCH_ERROR.rawValue }
        if events & EPOLLHUP.rawValue != 0 { flags |= DBUS_WATCH_HANGUP.rawValue }
        // libdbus reads two or four kilobytes at a time, so a message of several megabytes would take thousands of
        // turns.
        for _ in 0..<Self.readsPerTurn {
            if flags & DBUS_WATCH_READABLE.rawValue != 0 {
                table?.willRead()
                if table?.isSilent == true { flags &= ~DBUS_WATCH_READABLE.rawValue }
                guard flags != 0 else { break }
            }
            // Handling one watch may remove the others.
            for watch in watches where watches.contains(watch) && watch.isEnabled { watch.handle(flags) }
            guard events & EPOLLIN.rawValue != 0, interest & EPOLLIN.rawValue != 0, hasMore else { break }
            flags = DBUS_WATCH_READABLE.rawValue
        }
        table?.didHandle()
    }

    /// The maximum number of reads by libdbus before other connections get a turn.
    private static let readsPerTurn = 32

    /// Whether there is data to read; always false for descriptors that are not sockets.
    private var hasMore: Bool {
        guard let descriptor = watches.first?.descriptor else { return false }
        var count: Int32 = 0
        return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count > 0
    }
}

// MARK: - Timeouts

extension WatchTable {
    func add(timeout: OpaquePointer) {
        guard unsafe dbus_timeout_get_enabled(timeout) != 0 else { return }
        let interval = Duration.milliseconds(Int64(unsafe dbus_timeout_get_interval(timeout)))
        nonisolated(unsafe) let handled = unsafe timeout  // libdbus removes the timeout before it frees it
        unsafe timeouts[timeout] = EventLoop.shared.addTimer(after: interval, repeats: true) { [weak self] in
            unsafe dbus_timeout_handle(handled)
            self?.didHandle()
        }
    }

    func remove(timeout: OpaquePointer) {
        unsafe timeouts.removeValue(forKey: timeout)?.cancel()
    }

    func updateToggled(timeout: OpaquePointer) {
        unsafe remove(timeout: timeout)
        unsafe add(timeout: timeout)
    }
}

// MARK: - Callbacks for libdbus

extension WatchTable {
    /// Returns a retained reference for libdbus, which releases it with `release`.
    nonisolated func retainedForLibdbus() -> UnsafeMutableRawPointer {
        unsafe Unmanaged.passRetained(self).toOpaque()
    }

    private nonisolated static func watchTable(from data: UnsafeMutableRawPointer?) -> WatchTable? {
        unsafe data.map { unsafe Unmanaged<WatchTable>.fromOpaque($0).takeUnretainedValue() }
    }

    nonisolated static let release: DBusFreeFunction = { data in
        if let data = unsafe data { unsafe Unmanaged<WatchTable>.fromOpaque(data).release() }
    }

    nonisolated static let addWatch: DBusAddWatchFunction = { watch, data in
        guard let watch = unsafe watch, let table = unsafe watchTable(from: data) else { return 0 }
        nonisolated(unsafe) let owned = unsafe watch  // libdbus calls on the loop thread
        return DBusActor.assumeIsolated { table.add(watch: unsafe Watch(pointer: owned)) } ? 1 : 0
    }

    nonisolated static let removeWatch: DBusRemoveWatchFunction = { watch, data in
        guard let watch = unsafe watch, let table = unsafe watchTable(from: data) else { return }
        nonisolated(unsafe) let owned = unsafe watch  // libdbus calls on the loop thread
        DBusActor.assumeIsolated { table.remove(watch: unsafe Watch(pointer: owned)) }
    }

    nonisolated static let toggleWatch: DBusWatchToggledFunction = { watch, data in
        guard let watch = unsafe watch, let table = unsafe watchTable(from: data) else { return }
        nonisolated(unsafe) let owned = unsafe watch  // libdbus calls on the loop thread
        DBusActor.assumeIsolated { table.updateToggled(watch: unsafe Watch(pointer: owned)) }
    }

    nonisolated static let addTimeout: DBusAddTimeoutFunction = { timeout, data in
        guard let timeout = unsafe timeout, let table = unsafe watchTable(from: data) else { return 0 }
        nonisolated(unsafe) let owned = unsafe timeout  // libdbus calls on the loop thread
        DBusActor.assumeIsolated { unsafe table.add(timeout: owned) }
        return 1
    }

    nonisolated static let removeTimeout: DBusRemoveTimeoutFunction = { timeout, data in
        guard let timeout = unsafe timeout, let table = unsafe watchTable(from: data) else { return }
        nonisolated(unsafe) let owned = unsafe timeout  // libdbus calls on the loop thread
        DBusActor.assumeIsolated { unsafe table.remove(timeout: owned) }
    }

    nonisolated static let toggleTimeout: DBusTimeoutToggledFunction = { timeout, data in
        guard let timeout = unsafe timeout, let table = unsafe watchTable(from: data) else { return }
        nonisolated(unsafe) let owned = unsafe timeout  // libdbus calls on the loop thread
        DBusActor.assumeIsolated { unsafe table.updateToggled(timeout: owned) }
    }
}
