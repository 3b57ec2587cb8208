// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The output of a list's changes as lines, until the program is interrupted, the list is removed, or an error occurs.
///
/// When the daemon or the bus ends, it waits for a new one, and then prints what changed in the meantime.
@DBusActor
final class Following {
    private let name: String
    private let address: BusAddress
    private let json: Bool
    private let firstScreen: FirstScreen?
    /// The message to print if the list is empty at first; nil once the first content has arrived.
    private var emptyText: String?
    private var daemon: AwaitedDaemon?
    private var follower: ListFollower?
    private var end: CheckedContinuation<ExitCode, Never>?

    init(_ name: String, _ address: BusAddress, json: Bool, firstScreen: FirstScreen? = nil, emptyText: String? = nil) {
        self.name = name
        self.address = address
        self.json = json
        self.firstScreen = firstScreen
        self.emptyText = emptyText
    }

    func run() async -> ExitCode {
        let follower = ListFollower(name: name) { [weak self] in self?.handle($0) }
        let daemon = AwaitedDaemon(at: address) { [weak self] in self?.daemonChanged($0) }
        (self.follower, self.daemon) = (follower, daemon)
        Output.exitWhenReaderCloses()
        return await withCheckedContinuation { continuation in
            end = continuation
            daemon.startSearch()
        }
    }

    private func daemonChanged(_ daemon: ListDaemonClient?) {
        guard let daemon else {
            follower?.detach()
            return
        }
        Task { @DBusActor in
            await firstScreen?.printScreen(ofList: name, on: daemon)
            await follower?.attach(to: daemon)
        }
    }

    private func handle(_ event: ListFollower.Event) {
        switch event {
        case .changed(let changes):
            daemon?.recordAnswer()
            for change in changes { printChange(change) }
            if let emptyText, follower?.mirror.count == 0 { Output.printMessage(emptyText) }
            emptyText = nil
        case .removed:
            Output.printMessage("the list “\(name)” was removed")
            finish(.done)
        case .failed(let error):
            if error.isTimeout || error.standard == .disconnected || error.standard == .serviceUnknown {
                daemon?.retryLater()
                return
            }
            Output.printMessage(error.explanation)
            finish(.failed)
        }
    }

    private func printChange(_ change: MirrorChange) {
        let revision = follower?.mirror.revision ?? 0
        if json {
            Output.writeJSON(ChangeLine.members(of: change).merging(["revision": .uint64(revision)]) { $1 })
        } else {
            Output.writeLine("\(ClockTime.now)  revision \(revision)  \(ChangeLine.text(of: change))")
        }
    }

    private func finish(_ code: ExitCode) {
        daemon?.close()
        end?.resume(returning: code)
        end = nil
    }
}
