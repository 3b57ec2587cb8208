// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListProtocol
internal import ListSupport

/// The daemon's connection to its bus: connects, owns the bus name, and reconnects when the bus was restarted.
@DBusActor
final class BusLink {
    /// The first and the longest delay between two attempts to reconnect.
    private static let backoff = Backoff(from: .milliseconds(50), upTo: .seconds(5))

    private let address: BusAddress
    private let service: Service
    private let log: Log
    private let asksPolkit: Bool
    private var isClosed = false

    /// - Parameter asksPolkit: whether polkit is used on this bus.
    init(address: BusAddress, asksPolkit: Bool, service: Service, log: Log) {
        self.address = address
        self.asksPolkit = asksPolkit
        self.service = service
        self.log = log
    }

    /// Connects and acquires the bus name. From then on, callers find all objects of the tree.
    ///
    /// - Throws: an error if there is no bus, or if another process owns the name.
    func connect() async throws(DBusError) {
        try await connect(to: address)
    }

    private func connect(to address: BusAddress) async throws(DBusError) {
        let connection = try await Connection.open(address)
        do throws(DBusError) {
            connection.objects = service.tree
            if asksPolkit { await service.authority.polkit.setConnection(connection) }
            guard try await connection.requestName(ObjectNames.service, .doNotQueue) == .primaryOwner else {
                throw .failed("another process owns the bus name \(ObjectNames.service)")
            }
        } catch {
            connection.close()
            throw error
        }
        service.transports.setBus(connection)
        connection.onDisconnect { [weak self] in self?.handleConnectionLoss() }
    }

    /// Closes the connection after all messages were sent.
    func close() async {
        isClosed = true
        await service.transports.drain()
        service.transports.bus?.close()
    }

    /// Handles the loss of the bus: all its clients count as departed, and their views are closed.
    private func handleConnectionLoss() {
        guard !isClosed else { return }
        service.transports.setBus(nil)
        log.error("the bus closed the connection; listd reconnects when the bus is back")
        Task { @DBusActor in await reconnect() }
    }

    private func reconnect() async {
        var backoff = Self.backoff
        while !isClosed {
            do throws(DBusError) {
                try await connect(to: address.withoutBusIdentity())
                log.notice("listd has reconnected to the bus")
                return
            } catch {
                log.debug("the bus is not back yet: \(error)")
            }
            try? await Task.sleep(for: backoff.next())
        }
    }
}

extension BusAddress {
    /// Returns the address without the bus's identity (`guid=`), which changes when the bus is restarted.
    fileprivate func withoutBusIdentity() throws(DBusError) -> BusAddress {
        let places = try resolved().split(separator: ";").map { place in
            place.split(separator: ",").filter { !$0.hasPrefix("guid=") }.joined(separator: ",")
        }
        return .address(places.joined(separator: ";"))
    }
}
