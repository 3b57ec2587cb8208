// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

// The methods that subscribe to a list or open a view of it.

extension AdapterObject {
    func subscribe(_ call: Call) throws {
        try checkReadingAccess(call)
        try service.calls.decode(call) { (reader) throws(DBusError) in
            let words = try [NameArgument](from: &reader).map(\.text)
            do throws(AdapterEvents.UnknownWord) {
                return try AdapterEvents(words: words)
            } catch {
                throw DBusError.invalidArgs(
                    "events: \(error.word.quoted) is not one of \(AdapterEvents.words)")
            }
        } then: { [self] events in
            try checkReadingAccess(call)
            try checkNotMoving()
            call.reply(try signals.subscribe(call.peer, to: events), status.revision)
        }
    }

    /// Answers `Unsubscribe`, whose argument 0 means all subscriptions of the connection to this list.
    func unsubscribe(_ call: Call) throws {
        let id = try call.arguments(as: SubscriptionID.self)
        if id == 0 {
            signals.unsubscribe(call.peer)
        } else if !signals.unsubscribe(call.peer, id) {
            throw ListError(
                .invalidArguments,
                "subscription: this connection has no subscription \(id) to adapter \(name.quoted)")
        }
        call.reply()
    }

    func openView(_ call: Call) throws {
        try checkReadingAccess(call)
        try service.calls.decode(call) { (reader) throws(DBusError) in
            try reader.readOptions()
        } then: { [self] values in
            try checkReadingAccess(call)
            try checkNotMoving()
            try openView(call, try ListViewOptions(values))
        }
    }

    private func openView(_ call: Call, _ options: ListViewOptions) throws {
        let user = try service.authority.caller(call.peer).user
        do throws(Quotas.Exceeded) {
            try service.limits.quotas.book(Quotas.Amounts(views: 1), for: user)
        } catch {
            throw error.refusal("user \(user) already has \(error.limit) views open")
        }
        let view = ViewObject(
            number: service.views.nextNumber(), adapter: self, owner: call.peer, user: user, options: options,
            service: service)
        service.views.add(view)
        service.counts.notifyChange()
        service.tree.add(ExportedObject(ViewObject.interface, of: view), at: view.path)
        service.calls.watchDeparture(of: call.peer)
        host.openView(view.number, options, by: user) { [self] outcome in
            if case .failure(let error) = outcome {
                view.discard()
                return call.fail(error)
            }
            call.replyWriting { writer in
                writer.append(view.path)
                writer.append(epoch)
                writer.append(status.revision)
                writer.append(UInt32(clamping: status.objectCount))
                writer.append(UInt32(clamping: status.itemCount))
                writer.append(details: status.isFlat ? [("flat", .boolean(true))] : [])
            }
        }
    }
}
