// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListWorkers

extension AdapterObject {
    /// Answers `Search`: finds the next object that contains a text.
    func search(_ call: Call) throws {
        try checkReadingAccess(call)
        try service.calls.decode(call) { (reader) throws(DBusError) in
            SearchArguments(
                text: try reader.readString(), fields: try [String](from: &reader), from: Int(try reader.readUInt32()),
                isBackwards: try reader.readBool())
        } then: { [self] arguments in
            try search(call, for: arguments)
        }
    }

    private func search(_ call: Call, for arguments: SearchArguments) throws {
        try checkReadingAccess(call)
        guard !arguments.text.isEmpty else { return call.reply(status.revision, false, 0 as UInt32, "") }
        guard service.calls.searches.beginSearch(for: call.peer) else {
            throw ListError(
                .limitsExceeded, "connection \(call.peer.name) already has a search in progress")
        }
        SearchRun(arguments, in: self, turns: service.calls.searches.turns, for: call) { [service] outcome in
            service.calls.searches.endSearch(for: call.peer)
            switch outcome {
            case .success(let finding)?:
                call.reply(
                    finding.revision, finding.match != nil, UInt32(clamping: finding.match?.index ?? 0),
                    finding.match?.id ?? "")
            case .failure(let error)?: call.fail(error)
            case nil: break
            }
        }.start()
    }
}
