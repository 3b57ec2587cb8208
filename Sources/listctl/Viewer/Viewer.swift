import DBus
import Glibc
import ListClient

/// The full-screen viewer: joins the terminal, the client library and the viewer's state.
///
/// Owned by `DBusActor`, as the connection is: keys and resizes come to it through the event loop.
@DBusActor
final class Viewer {
    private let name: String
    private let address: BusAddress
    private var state: ViewerState
    private var keys = KeyDecoder()
    private var client: ListClient?
    private var view: ListViewClient?
    private var adapter: RemoteObject?
    private var search: Task<Void, Never>?
    private var end: CheckedContinuation<ExitCode, Never>?

    init(_ name: String, _ address: BusAddress) {
        self.name = name
        self.address = address
        let (columns, rows) = Terminal.size()
        state = ViewerState(columns: columns, rows: rows)
    }

    func run() async -> ExitCode {
        // First, so that the terminal is given back whenever a signal comes.
        let signals = TerminalSignals { signal in
            EventLoop.shared.post { [weak self] in self?.received(signal) }
        }
        var terminal = Terminal()
        let input = try? EventLoop.shared.watch(STDIN_FILENO, for: .readable) { [weak self] _ in self?.typed() }
        let client = ListClient(address: address) { [weak self] in self?.availabilityChanged($0) }
        self.client = client
        let code = await withCheckedContinuation { continuation in
            end = continuation
            client.start()
        }
        input?.cancel()
        terminal.restore()
        signals.cancel()
        return code
    }

    private func received(_ signal: TerminalSignal) {
        switch signal {
        case .resized: resized()
        case .ended(let number): finish(.ended(by: number))
        }
    }

    // MARK: - The daemon

    private func availabilityChanged(_ availability: ListClient.Availability) {
        (view, adapter) = (nil, nil)
        switch availability {
        case .available(let daemon): Task { @DBusActor in await open(daemon) }
        case .noDaemon: perform(state.say("waiting for listd"))
        case .noBus(let error): perform(state.say("waiting for the bus: \(error.message)"))
        }
    }

    private func open(_ daemon: ListDaemonClient) async {
        do throws(DBusError) {
            let adapter = try await daemon.adapter(name)
            view = try await ListViewClient.open(adapter) { [weak self] in self?.handle($0) }
            self.adapter = adapter
            perform(state.say(""))
            perform(state.start())
        } catch {
            perform(state.say(CommandRunner.explanation(of: error)))
        }
    }

    private func handle(_ event: ListViewClient.Event) {
        switch event {
        case .changed(let picture): perform(state.show(picture))
        case .closed(let reason):
            view = nil
            perform(state.say("the view was closed: \(reason)"))
        case .failed(let error): perform(state.say(CommandRunner.explanation(of: error)))
        }
    }

    // MARK: - The person

    private func typed() {
        var bytes = [UInt8](repeating: 0, count: 256)
        // The buffer belongs to this call.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
        guard count > 0 else { return finish(.done) }
        for key in keys.decode(Array(bytes[..<count])) { perform(state.press(key)) }
    }

    private func resized() {
        let (columns, rows) = Terminal.size()
        perform(state.resize(columns: columns, rows: rows))
    }

    private func perform(_ actions: [ViewerState.Action]) {
        for action in actions {
            switch action {
            case .draw: Terminal.write(Screen.rendered(Screen.lines(state, title: name)))
            case .setViewport(let y, let width, let height):
                view?.setViewport(x: 0, y: y, width: width, height: height)
            case .scrollTo(let objectID): view?.scroll(to: objectID, position: "start")
            case .find(let text, let section): find(text, after: section)
            case .quit: finish(.done)
            }
        }
    }

    private func find(_ text: String, after section: Int) {
        guard let adapter else { return }
        search?.cancel()
        search = Task { @DBusActor in
            do throws(DBusError) {
                let hit = try await Search.first(text, in: adapter, after: section)
                guard !Task.isCancelled else { return }
                perform(state.found(objectID: hit?.objectID, section: hit?.section ?? 0))
            } catch {
                perform(state.say(CommandRunner.explanation(of: error)))
            }
        }
    }

    private func finish(_ code: ExitCode) {
        search?.cancel()
        client?.close()
        end?.resume(returning: code)
        end = nil
    }
}
