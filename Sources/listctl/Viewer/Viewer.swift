// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient

/// The full-screen viewer, which connects the terminal, the client library and the viewer's state.
///
/// It is isolated to `DBusActor`, like the connection. Keys and signals reach it through the event loop. When a
/// daemon or list that was there is gone, the viewer waits for it. A daemon or list that was never there is an error.
@DBusActor
final class Viewer {
    private let address: BusAddress
    private var state: ViewerState
    private var terminal: CursesTerminal?
    private var client: ListClient?
    private let shown: ShownList
    private var hasSeenDaemon = false
    /// The timer that runs while an answer is awaited. When it fires, the status line says that listd does not answer.
    private var silenceTimer: LoopTimer?
    /// The message to print after the terminal was restored.
    private var finalMessage: String?
    private var end: CheckedContinuation<ExitCode, Never>?

    /// Creates a viewer of a list.
    ///
    /// - Parameters:
    ///   - title: the text above the list; nil for the list's name.
    ///   - emptyText: the text that is shown in place of a list without objects.
    ///   - marked: a text that is marked wherever it occurs.
    init(
        _ name: String, _ address: BusAddress, title: String? = nil, emptyText: String = "this list is empty",
        marked: String = ""
    ) {
        self.address = address
        shown = ShownList(name)
        let (columns, rows) = Terminal.size()
        let environment = ProcessInfo.processInfo.environment
        state = ViewerState(
            title: title ?? name, columns: columns, rows: rows, encoding: TextEncoding(environment: environment),
            note: environment["LISTCTL_NOTE"] ?? "", emptyText: emptyText, marked: marked)
    }

    func run() async -> ExitCode {
        // Signals are handled before ncurses starts, so that a signal at any time restores the terminal, and ncurses
        // does not install its own handlers.
        let signals = TerminalSignals { signal in
            EventLoop.shared.post { [weak self] in self?.process(signal: signal) }
        }
        defer { signals.cancel() }
        let environment = ProcessInfo.processInfo.environment
        let hasColours = environment["NO_COLOR"]?.isEmpty ?? true
        let terminal = CursesTerminal(hasColours: hasColours) { input in
            EventLoop.shared.post { [weak self] in self?.handle(.terminal(input)) }
        }
        guard let terminal else {
            let kind = environment["TERM"] ?? ""
            Output.printMessage(
                "a terminal of the kind “\(kind)” (TERM) cannot show the viewer; try TERM=xterm, "
                    + "or listctl show \(shown.name)"
            )
            return .failed
        }
        self.terminal = terminal
        shown.setEventHandler { [weak self] in self?.process($0) }
        let client = ListClient(address: address) { [weak self] in self?.availabilityChanged($0) }
        self.client = client
        let code = await withCheckedContinuation { continuation in
            end = continuation
            client.start()
        }
        let isWritten = terminal.end()
        if let finalMessage, isWritten { Output.printMessage(finalMessage) }
        return code
    }

    private func process(signal: Int32) {
        guard signal == SIGWINCH else { return finish(.ended(by: signal)) }
        let (columns, rows) = Terminal.size()
        handle(.resized(columns: columns, rows: rows))
    }

    // MARK: - The daemon

    private func availabilityChanged(_ availability: ListClient.Availability) {
        switch availability {
        case .available(let daemon):
            hasSeenDaemon = true
            shown.open(on: daemon, filter: state.filter)
        case .noDaemon: waitOrFinish("waiting for listd", message: "listd is not running on this bus")
        case .noBus(let error): waitOrFinish("waiting for the bus: \(error.message)", message: error.explanation)
        }
    }

    /// Waits for the daemon if there was one before; otherwise ends the viewer with a message.
    private func waitOrFinish(_ condition: String, message: String) {
        shown.close()
        guard !hasSeenDaemon else { return handle(.closed(condition, keepingPicture: true)) }
        finish(.unavailable, message)
    }

    private func process(_ event: ViewerState.Input) {
        // A list that was never there is an error.
        if case .closed(let why, _) = event, !shown.hasOpened { return finish(.failed, why) }
        switch event {
        case .opened, .answered: stopSilenceTimer()
        case .terminal, .resized, .closed, .shown, .unanswered, .silent, .refused, .condition, .facts, .found,
            .filterRefused, .message:
            break
        }
        handle(event)
    }

    // MARK: - Input

    private func handle(_ input: ViewerState.Input) {
        guard end != nil else { return }
        let effects = state.handle(input)
        for effect in effects {
            switch effect {
            case .draw, .redraw: break
            case .setViewport(let y, let width, let height): shown.list?.setViewport(y: y, width: width, height: height)
            case .scrollTo(let place): shown.list?.scroll(to: place)
            case .find(let query): shown.find(query)
            case .select(let place, let isSelected): shown.list?.setSelected(isSelected, at: place)
            case .invoke(let action, let place): shown.list?.invoke(action, at: place)
            case .filter(let text): shown.filter(by: text)
            case .quit: return finish(.done)
            }
        }
        if state.browser.hasArrived { stopSilenceTimer() } else { startSilenceTimer() }
        if effects.contains(where: { $0 == .draw || $0 == .redraw }) {
            var screen = ViewerScreen.screen(of: state)
            screen.redrawsEverything = effects.contains(.redraw)
            terminal?.draw(screen)
        }
    }

    private func startSilenceTimer() {
        guard silenceTimer == nil else { return }
        silenceTimer = EventLoop.shared.addTimer(after: .seconds(2)) { [weak self] in self?.handle(.silent) }
    }

    private func stopSilenceTimer() {
        silenceTimer?.cancel()
        silenceTimer = nil
    }

    private func finish(_ code: ExitCode, _ message: String? = nil) {
        guard let end else { return }
        self.end = nil
        finalMessage = message
        stopSilenceTimer()
        shown.close()
        client?.close()
        end.resume(returning: code)
    }
}
