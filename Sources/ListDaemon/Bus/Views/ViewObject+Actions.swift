// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListWorkers

extension ViewObject {
    /// Answers `Invoke`: the section controller is asked first; an action that it does not handle is sent to the
    /// owner of the list.
    func invoke(_ call: Call) throws {
        try checkOwner(of: call)
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
        // The signal must be sent even if the call expects no reply.
        let command = ViewCommand.invoke(id: id, item: Int(item), action: action, parameters: parameters)
        request(for: call, command) { [adapter] outcome in
            switch outcome {
            case .success(.flag(let isHandled)):
                call.reply(isHandled || adapter.signals.sendInvoked(invoked, toOwner: adapter.access.owner))
            case .success: call.fail(ListError.unexpectedAnswer)
            case .failure(let error): call.fail(error)
            }
        }
    }
}
