// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListWorkers

extension ViewObject {
    /// `Invoke`: the section controller is asked first; what it does not handle goes to the owner of the list.
    func invoke(_ call: Call) throws {
        try check(call)
        let caller = try adapter.checkInvokingAccess(call)
        var decoder = FieldsDecoder()
        let (id, item, action, parameters) = try call.message.read {
            [limits = service.limits.objects] (reader) throws(DBusError) in
            (
                try reader.readIdentifier(within: limits), try reader.readUInt32(),
                try reader.readIdentifier(within: limits), try decoder.fields(from: &reader)
            )
        }
        try service.limits.objects.check(parameters: parameters)
        let invoked = InvokedAction(id: id, item: item, action: action, parameters: parameters, user: caller.user)
        // Also a call that wants no reply is sent on, so the signal is none of the reply's business.
        adapter.request(of: call.peer, isLong: false) { [adapter] outcome in
            switch outcome {
            case .success(.flag(let isHandled)):
                call.reply(isHandled || adapter.signals.sendInvoked(invoked, toOwner: adapter.access.owner))
            case .success: call.fail(ListError.unexpectedAnswer)
            case .failure(let error): call.fail(error)
            }
        } _: { [number] id in
            .view(
                id, number,
                .invoke(id: invoked.id, item: Int(invoked.item), action: invoked.action, parameters: invoked.parameters)
            )
        }
    }
}
