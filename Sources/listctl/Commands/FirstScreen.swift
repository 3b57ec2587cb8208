import DBus
import ListClient

/// What a screen would show when the list is opened, as lines; shown once.
@DBusActor
final class FirstScreen {
    private let rows: Int
    private var isShown = false
    private var state: ViewerState
    private var view: ListViewClient?
    private var settled: CheckedContinuation<Void, Never>?

    init(rows: Int) {
        self.rows = rows
        state = ViewerState(columns: 80, rows: rows + 1)
    }

    /// Opens a view, waits for its picture, prints it and closes the view.
    func show(_ name: String, of daemon: ListDaemonClient) async {
        // A list that is not there is told by whoever follows it.
        guard !isShown, let adapter = try? await daemon.adapter(name), !isShown else { return }
        isShown = true
        do throws(DBusError) {
            let view = try await ListViewClient.open(adapter) { [weak self] in self?.handle($0) }
            self.view = view
            await withCheckedContinuation { continuation in
                settled = continuation
                perform(state.start())
            }
            await view.close()
            for line in Screen.lines(state, title: name).dropLast() {
                let text = line.text.trimmingTrailingBlanks
                if !text.isEmpty { Output.line(text) }
            }
        } catch {
            Output.complain(CommandRunner.explanation(of: error))
        }
    }

    private func handle(_ event: ListViewClient.Event) {
        switch event {
        case .changed(let picture): perform(state.show(picture))
        case .closed, .failed: finish()
        }
    }

    /// Settled when an answered viewport leaves nothing to ask for; an empty list changes no picture at all.
    private func perform(_ actions: [ViewerState.Action]) {
        for case .setViewport(let y, let width, let height) in actions {
            view?.setViewport(x: 0, y: y, width: width, height: height)
        }
        view?.whenAnswered { [weak self] in self?.finish() }
    }

    private func finish() {
        settled?.resume()
        settled = nil
    }
}

extension String {
    /// The text without blanks at its end.
    var trimmingTrailingBlanks: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
