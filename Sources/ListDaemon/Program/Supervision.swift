// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// What the service manager is told: how far the daemon is, one line of status, and that its lists still work.
@DBusActor
final class Supervision {
    private let service: Service
    private let notify = Notify()
    private lazy var statusLine = StatusLine { [service] in
        service.summary
    } send: { [notify] line in
        notify.send(.status(line))
    }
    private lazy var watchdog = notify.watchdogInterval.map { interval in
        Watchdog(interval: interval) { [service] in
            service.adapters.all.map { adapter in { adapter.ping($0) } }
        } feed: { [notify] in
            notify.send(.watchdog)
        }
    }

    init(of service: Service) { self.service = service }

    /// The daemon serves: the status line follows what there is, and the watchdog is fed.
    func begin() {
        statusLine.update()
        service.counts.onChange { [weak self] in self?.statusLine.changed() }
        notify.send(.ready)
        watchdog?.start()
    }

    /// A reload begins.
    func beginReload() { notify.send(.reloading) }

    /// A reload has ended.
    func endReload() { notify.send(.ready) }

    /// The daemon ends.
    func end() {
        notify.send(.stopping)
        watchdog?.end()
    }
}
