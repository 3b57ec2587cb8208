import DBus
import ListClient

/// Prints the changes of a list as lines until it is interrupted, the list is removed or an error ends it.
///
/// A daemon or bus that goes away is waited for: the list is caught up with when it is back. A daemon that does not
/// answer is asked again, less and less often.
@DBusActor
final class Following {
    private let name: String
    private let address: BusAddress
    private let json: Bool
    private let firstScreen: FirstScreen?
    private var client: ListClient?
    private var follower: ListFollower?
    private var daemon: ListDaemonClient?
    private var retry: LoopTimer?
    private var backoff = Backoff(from: .milliseconds(200), upTo: .seconds(30))
    private var notice = WaitingNotice()
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
        Output.endWithReader()
        return await withCheckedContinuation { continuation in
            end = continuation
            client.start()
        }
    }

    private func availabilityChanged(_ availability: ListClient.Availability) {
        retry?.cancel()
        daemon = nil
        switch availability {
        case .available(let daemon):
            self.daemon = daemon
            attach()
        case .noDaemon:
            follower?.detach()
            notice.say(.listd)
        case .noBus(let error):
            follower?.detach()
            notice.say(.bus, error.message)
        }
    }

    private func attach() {
        guard let daemon else { return }
        Task { @DBusActor in
            await firstScreen?.show(name, of: daemon)
            await follower?.attach(to: daemon)
        }
    }

    /// Asks again in a while, unless the daemon turns out to be gone: then a new one is waited for.
    private func attachLater() {
        retry?.cancel()
        retry = EventLoop.shared.addTimer(after: backoff.next()) { [weak self] in
            guard let self, self.daemon != nil else { return }
            notice.say(.answer)
            attach()
        }
    }

    private func handle(_ event: ListFollower.Event) {
        switch event {
        case .changed(let changes):
            backoff.reset()
            notice.end()
            for change in changes { say(change) }
        case .removed:
            Output.complain("the list “\(name)” was removed")
            finish(.done)
        case .failed(let error):
            if error.isTimeout || error.standard == .disconnected || error.standard == .serviceUnknown {
                return attachLater()
            }
            Output.complain(CommandRunner.explanation(of: error))
            finish(.failed)
        }
    }

    private func say(_ change: MirrorChange) {
        if json { Output.json(ChangeLine.members(of: change)) } else { Output.line(ChangeLine.text(of: change)) }
    }

    private func finish(_ code: ExitCode) {
        retry?.cancel()
        client?.close()
        end?.resume(returning: code)
        end = nil
    }
}
