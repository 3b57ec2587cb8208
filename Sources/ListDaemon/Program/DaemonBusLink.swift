// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListProtocol
internal import ListSupport

/// Keeps the daemon on its bus: connects, owns the name, and comes back when the bus does.
@DBusActor
final class BusLink {
    /// The first and the longest wait between two attempts to come back.
    private static let backoff = Backoff(from: .milliseconds(50), upTo: .seconds(5))

    private let address: BusAddress
    private let service: Service
    private let log: Log
    private let asksPolkit: Bool
    private var isClosed = false

    /// - Parameter asksPolkit: whether to look for polkit on this bus.
    init(address: BusAddress, asksPolkit: Bool, service: Service, log: Log) {
        self.address = address
        self.asksPolkit = asksPolkit
        self.service = service
        self.log = log
    }

    /// Connects and owns the name: from then on callers find everything that is in the tree.
    ///
    /// - Throws: why there is no bus, or that somebody else owns the name.
    func connect() async throws(DBusError) {
        try await connect(to: address)
    }

    private func connect(to address: BusAddress) async throws(DBusError) {
        let connection = try await Connection.open(address)
        do throws(DBusError) {
            connection.objects = service.tree
            if asksPolkit { await service.authority.polkit.use(connection) }
            guard try await connection.requestName(ObjectNames.service, .doNotQueue) == .primaryOwner else {
                throw .failed("somebody else owns \(ObjectNames.service)")
            }
        } catch {
            connection.close()
            throw error
        }
        service.transports.use(connection)
        connection.onDisconnect { [weak self] in self?.lost() }
    }

    /// Leaves the bus when everything is sent.
    func close() async {
        isClosed = true
        await service.transports.drain()
        service.transports.bus?.close()
    }

    /// Everybody on the bus counts as gone: their views are closed as if they had left.
    private func lost() {
        guard !isClosed else { return }
        service.transports.use(nil)
        log.error("the bus has ended the connection; coming back when it does")
        Task { @DBusActor in await comeBack() }
    }

    private func comeBack() async {
        var backoff = Self.backoff
        while !isClosed {
            do throws(DBusError) {
                try await connect(to: address.ofAnyBus())
                log.notice("back on the bus")
                return
            } catch {
                log.debug("no bus yet: \(error)")
            }
            try? await Task.sleep(for: backoff.next())
        }
    }
}

extension BusAddress {
    /// The same place, whichever bus listens there: a bus that was started again has another identity (`guid=`).
    fileprivate func ofAnyBus() throws(DBusError) -> BusAddress {
        let places = try resolved().split(separator: ";").map { place in
            place.split(separator: ",").filter { !$0.hasPrefix("guid=") }.joined(separator: ",")
        }
        return .address(places.joined(separator: ";"))
    }
}
