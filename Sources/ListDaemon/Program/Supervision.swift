// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The reports to the service manager: the daemon's start, reload and stop, its status line, and the watchdog's
/// keep-alives.
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

    /// Reports that the daemon is ready, and starts the updates of the status line and the watchdog.
    func begin() {
        statusLine.update()
        service.counts.onChange { [weak self] in self?.statusLine.scheduleUpdate() }
        notify.send(.ready)
        watchdog?.start()
    }

    /// Reports that a reload begins.
    func beginReload() { notify.send(.reloading) }

    /// Reports that a reload has ended.
    func endReload() { notify.send(.ready) }

    /// Reports that the daemon is stopping, and ends the watchdog.
    func end() {
        notify.send(.stopping)
        watchdog?.end()
    }
}
