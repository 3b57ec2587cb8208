// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport

/// What a viewer wants done with an item.
struct InvokedAction {
    var id: String
    var item: UInt32
    var action: String
    var parameters: Fields
    /// The user who wants it.
    var user: UInt32
}

extension AdapterObject {
    /// Refuses callers that may not invoke actions.
    func checkInvokingAccess(_ call: Call) throws(ListError) -> Caller {
        try checkPresent()
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        guard access.allowsInvoking(caller) else {
            throw ListError(
                .accessDenied, "user \(caller.user) may not invoke actions of adapter \(name.quoted)")
        }
        return caller
    }

    /// Sends `Invoked` to the connections of the owner that subscribed to it.
    ///
    /// - Returns: whether it was sent to one of them: none may have subscribed, or be able to take it.
    func sendInvoked(_ action: InvokedAction) -> Bool {
        let owners = listeners.subscribers(to: .actions).map(\.peer).filter { peer in
            peer.credentials?.userID == access.owner && !service.transports.direct.drops(signalOf: self, to: peer)
        }
        guard !owners.isEmpty else { return false }
        var isSent = false
        do throws(DBusError) {
            let message = try Message.signal(Self.invoked, of: Self.interface.name, at: path) { writer in
                writer.append(action.id)
                writer.append(action.item)
                writer.append(action.action)
                writer.append(action.parameters)
                writer.append(action.user)
            }
            service.count(.signals)
            for peer in owners {
                try service.transports.send(message, to: peer, .subscriber(peer.name, adapter: name))
                isSent = true
            }
        } catch {
            service.log.warning("signal \(Self.invoked.name) was not sent: \(error)", .adapter(name))
        }
        service.transports.checkBus()
        return isSent
    }
}
