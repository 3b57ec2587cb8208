// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The command-line output of a list's first screen, as lines of text or JSON.
@DBusActor
final class FirstScreen {
    private let json: Bool
    private var isShown = false
    /// The number of times that a refused screen is requested: a worker of a plugin may be starting again.
    private static let attempts = 5
    private static let pause = Duration.seconds(1)

    private let rows: Int
    private var browser: Browser
    /// The error of the last attempt.
    private var failure: DBusError?
    private var view: TerminalView?
    private var completion: CheckedContinuation<Void, Never>?

    init(rows: Int, json: Bool) {
        self.json = json
        self.rows = rows
        browser = Browser(columns: 80, rows: rows)
    }

    /// Opens a view, waits until its picture is complete, prints the picture, and closes the view.
    func printScreen(ofList name: String, on daemon: ListDaemonClient) async {
        // `ListFollower` reports that the list does not exist.
        guard !isShown, let adapter = try? await daemon.adapter(name), !isShown else { return }
        isShown = true
        for attempt in 1...Self.attempts {
            do throws(DBusError) {
                try await printScreen(of: adapter)
                return
            } catch {
                // `ListFollower` also reports that the user may not read the list.
                guard error.standard != .accessDenied else { return }
                Output.printMessage(error.explanation)
                // Without the daemon, the next one gets the attempt.
                if error.standard == .disconnected || error.standard == .serviceUnknown {
                    isShown = false
                    return
                }
            }
            guard attempt < Self.attempts else { return }
            await withCheckedContinuation { pause in
                _ = EventLoop.shared.addTimer(after: Self.pause) { pause.resume() }
            }
        }
    }

    private func printScreen(of adapter: RemoteObject) async throws(DBusError) {
        failure = nil
        browser = Browser(columns: 80, rows: rows)
        let view = try await TerminalView.open(adapter) { [weak self] in self?.handle($0) }
        self.view = view
        await withCheckedContinuation { continuation in
            completion = continuation
            perform(browser.start())
        }
        await view.view.close()
        if let failure { throw failure }
        printPicture()
    }

    private func printPicture() {
        guard json else {
            for line in Screen.lines(browser) {
                let text = line.trimmingTrailingBlanks
                if !text.isEmpty { Output.writeLine(text) }
            }
            return
        }
        for item in browser.rows.joined() { Output.writeJSON(Self.members(of: item)) }
    }

    /// Returns the members of the JSON object for an item of the screen.
    static func members(of item: Picture.Shown) -> [String: DBusValue] {
        let frame = item.frame
        return [
            "slot": .uint32(item.slot), "id": .string(item.objectID), "section": .uint32(item.section),
            "item": .uint32(item.item), "kind": .string(item.kind), "reuse": .string(item.reuseIdentifier),
            "frame": .structure([.double(frame.x), .double(frame.y), .double(frame.width), .double(frame.height)]),
            "content": item.content.value,
        ]
    }

    private func handle(_ event: ListViewClient.Event) {
        switch event {
        case .changed(let picture): perform(browser.show(picture))
        case .closed: finish()
        case .failed(let error):
            failure = error
            finish()
        }
    }

    /// Makes the calls that the browser requests. The screen is complete when a reply leads to no further call.
    private func perform(_ requests: [Browser.Effect]) {
        for case .setViewport(let y, let width, let height) in requests {
            view?.setViewport(y: y, width: width, height: height) { [weak self] in
                guard let self else { return }
                self.perform(self.browser.handleAnswer())
                if self.browser.hasArrived { self.finish() }
            }
        }
    }

    private func finish() {
        completion?.resume()
        completion = nil
    }
}
