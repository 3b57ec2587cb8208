// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The command-line output of a list's first screen, as lines of text or JSON.
@DBusActor
final class FirstScreen {
    private let json: Bool
    private var isShown = false
    private var browser: Browser
    private var view: TerminalView?
    private var completion: CheckedContinuation<Void, Never>?

    init(rows: Int, json: Bool) {
        self.json = json
        browser = Browser(columns: 80, rows: rows)
    }

    /// Opens a view, waits until its picture is complete, prints the picture, and closes the view.
    func printScreen(ofList name: String, on daemon: ListDaemonClient) async {
        // `ListFollower` reports that the list does not exist.
        guard !isShown, let adapter = try? await daemon.adapter(name), !isShown else { return }
        isShown = true
        do throws(DBusError) {
            let view = try await TerminalView.open(adapter) { [weak self] in self?.handle($0) }
            self.view = view
            await withCheckedContinuation { continuation in
                completion = continuation
                perform(browser.start())
            }
            await view.view.close()
            printPicture()
        } catch {
            // `ListFollower` also reports that the user may not read the list.
            if error.standard != .accessDenied { Output.printMessage(error.explanation) }
        }
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
            Output.printMessage(error.explanation)
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
