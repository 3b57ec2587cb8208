import DBus
import Glibc
import ListClient

/// The full-screen viewer: joins the terminal, the client library and the viewer's state.
///
/// Owned by `DBusActor`, as the connection is: keys and resizes come to it through the event loop. A daemon or list that
/// was there and goes away is waited for; one that was never there is a mistake.
@DBusActor
final class Viewer {
    private let name: String
    private let address: BusAddress
    private let output = TerminalOutput()
    private var state: ViewerState
    private var keys = KeyDecoder()
    private var client: ListClient?
    private var list: ViewedList?
    private var hasSeenDaemon = false
    private var hasSeenList = false
    private var search: Task<Void, Never>?
    /// Runs while an answer is awaited, and says so after a while.
    private var silence: LoopTimer?
    private var complaint: String?
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
        var terminal = Terminal(output)
        let input = try? EventLoop.shared.watch(STDIN_FILENO, for: .readable) { [weak self] _ in self?.typed() }
        let client = ListClient(address: address) { [weak self] in self?.availabilityChanged($0) }
        self.client = client
        let code = await withCheckedContinuation { continuation in
            end = continuation
            client.start()
        }
        input?.cancel()
        let isRead = terminal.restore()
        signals.cancel()
        if let complaint, isRead { Output.complain(complaint) }
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
        list?.close()
        list = nil
        switch availability {
        case .available(let daemon):
            hasSeenDaemon = true
            let list = ViewedList(name, of: daemon) { [weak self] in self?.handle($0) }
            self.list = list
            list.open()
        case .noDaemon: waits("waiting for listd", orEnds: "listd does not run on this bus")
        case .noBus(let error):
            waits("waiting for the bus: \(error.message)", orEnds: CommandRunner.explanation(of: error))
        }
    }

    /// Who has never been there is not waited for.
    private func waits(_ condition: String, orEnds complaint: String) {
        guard !hasSeenDaemon else { return perform(state.stop(condition, keepingPicture: true)) }
        finish(.unavailable, complaint)
    }

    private func handle(_ event: ViewedList.Event) {
        switch event {
        case .opened:
            hasSeenList = true
            endSilence()
            perform(state.start())
        case .changed(let picture): perform(state.show(picture))
        case .answered:
            endSilence()
            perform(state.answered())
        case .condition(let text): perform(state.warn(text))
        case .silent: perform(state.silent())
        case .failed(let error) where error.isTimeout: perform(state.unanswered())
        case .failed(let error): perform(state.failed(CommandRunner.explanation(of: error)))
        case .gone(let why): perform(state.stop(why, keepingPicture: false))
        case .refused(let error):
            let why = CommandRunner.explanation(of: error)
            if hasSeenList { perform(state.stop(why, keepingPicture: false)) } else { finish(.failed, why) }
        }
    }

    // MARK: - The person

    private func typed() {
        var bytes = [UInt8](repeating: 0, count: 256)
        // The buffer belongs to this call.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return finish(.done) }
        for key in keys.decode(Array(bytes[..<count])) { perform(state.press(key)) }
    }

    private func resized() {
        let (columns, rows) = Terminal.size()
        perform(state.resize(columns: columns, rows: rows))
    }

    private func perform(_ actions: [ViewerState.Action]) {
        guard end != nil else { return }
        for action in actions where action != .draw {
            switch action {
            case .draw: break
            case .setViewport(let y, let width, let height): list?.setViewport(y: y, width: width, height: height)
            case .scrollTo(let place): list?.scroll(to: place)
            case .find(let text, let position): find(text, after: position)
            case .quit: return finish(.done)
            }
        }
        if state.scroller.hasArrived { endSilence() } else { awaitAnswer() }
        if actions.contains(.draw) { output.draw(Screen.rendered(Screen.lines(state, title: name))) }
    }

    private func awaitAnswer() {
        guard silence == nil else { return }
        silence = EventLoop.shared.addTimer(after: .seconds(2)) { [weak self] in
            if let self { self.perform(self.state.silent()) }
        }
    }

    private func endSilence() {
        silence?.cancel()
        silence = nil
    }

    private func find(_ text: String, after position: Search.Position?) {
        guard let adapter = list?.adapter else { return }
        search?.cancel()
        search = Task { @DBusActor in
            do throws(DBusError) {
                let hit = try await Search.first(text, in: adapter, behind: position)
                guard !Task.isCancelled else { return }
                perform(state.found(hit))
            } catch {
                guard !Task.isCancelled else { return }
                perform(state.say(CommandRunner.explanation(of: error)))
            }
        }
    }

    private func finish(_ code: ExitCode, _ complaint: String? = nil) {
        guard let end else { return }
        self.end = nil
        self.complaint = complaint
        search?.cancel()
        endSilence()
        list?.close()
        client?.close()
        end.resume(returning: code)
    }
}
