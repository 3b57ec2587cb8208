import DBus
import ListClient

/// Prints the changes of a list as lines until it is interrupted, the list is removed or an error ends it.
///
/// A daemon or bus that goes away is waited for: the list is caught up with when it is back.
@DBusActor
final class Following {
    private let name: String
    private let address: BusAddress
    private let json: Bool
    private let firstScreen: FirstScreen?
    private var client: ListClient?
    private var follower: ListFollower?
    private var end: CheckedContinuation<ExitCode, Never>?

    init(_ name: String, _ address: BusAddress, json: Bool, firstScreen: FirstScreen? = nil) {
        self.name = name
        self.address = address
        self.json = json
        self.firstScreen = firstScreen
    }

    func run() async -> ExitCode {
        let follower = ListFollower(name: name) { [weak self] in self?.handle($0) }
        let client = ListClient(address: address) { [weak self] in self?.availabilityChanged($0) }
        (self.follower, self.client) = (follower, client)
        return await withCheckedContinuation { continuation in
            end = continuation
            client.start()
        }
    }

    private func availabilityChanged(_ availability: ListClient.Availability) {
        switch availability {
        case .available(let daemon):
            Task { @DBusActor in
                await firstScreen?.show(name, of: daemon)
                await follower?.attach(to: daemon)
            }
        case .noDaemon:
            follower?.detach()
            Output.complain("waiting for listd")
        case .noBus(let error):
            follower?.detach()
            Output.complain("waiting for the bus: \(error.message)")
        }
    }

    private func handle(_ event: ListFollower.Event) {
        switch event {
        case .changed(let changes):
            for change in changes { say(change) }
        case .removed:
            Output.complain("the list “\(DisplayText.harmless(name))” was removed")
            finish(.done)
        case .failed(let error):
            // A daemon on its way out is not the end: its absence is reported next, and a new one is waited for.
            if error.standard == .disconnected || error.standard == .noReply || error.standard == .serviceUnknown {
                return
            }
            Output.complain(CommandRunner.explanation(of: error))
            finish(.failed)
        }
    }

    private func say(_ change: MirrorChange) {
        if json { Output.json(ChangeLine.members(of: change)) } else { Output.line(ChangeLine.text(of: change)) }
    }

    private func finish(_ code: ExitCode) {
        client?.close()
        end?.resume(returning: code)
        end = nil
    }
}
