internal import DBus
@_spi(Daemon) internal import ListKit

extension AdapterObject {
    /// `Search`: the next object that contains a text.
    func search(_ call: Call) throws {
        try checkReadingAccess(call)
        let (text, fields, from, isBackwards) = try call.arguments(
            as: String.self, [String].self, UInt32.self, Bool.self)
        guard !text.isEmpty else { return call.reply(status.revision, false, 0 as UInt32, "") }
        guard service.searches.begin(for: call.peer) else {
            throw ListError(
                .limitsExceeded, "connection \(call.peer.name) has a search under way: one is answered at a time")
        }
        let arguments = SearchArguments(text: text, fields: fields, from: Int(from), isBackwards: isBackwards)
        SearchRun(arguments, in: self, for: call) { [service] outcome in
            service.searches.end(for: call.peer)
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
