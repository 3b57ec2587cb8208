@_spi(Daemon) import ListKit
import Synchronization
import TestSupport
import Testing

@testable import ListDaemon

@Suite("A list that is guarded while another process hosts it")
struct GuardedHostTests {
    /// What crosses between guard and host.
    private final class Traffic: Sendable {
        private let counts = Mutex((commands: 0, outputs: 0))
        let place = SubstituteHost()

        var count: (commands: Int, outputs: Int) { counts.withLock { $0 } }
        func noteCommand() { counts.withLock { $0.commands += 1 } }
        func noteOutput() { counts.withLock { $0.outputs += 1 } }

        /// A seat as a worker is one, in this process.
        func seat(of guardian: GuardedHost) -> Seat {
            Seat(
                number: 1,
                open: { [place] setup in
                    place.host = SeatedHost(setup, controllers: setup.controllers, tracer: CallTracer(nil)) { output in
                        self.noteOutput()
                        guardian.take(output, from: 1)
                    }
                },
                send: { [place] command in
                    self.noteCommand()
                    place.host?.send(command)
                }, blame: { Issue.record("\($0)") }, close: { [place] in place.host = nil })
        }
    }

    private let answers = EventLog<RequestID>()

    private func ask(_ host: GuardedHost, _ id: RequestID, _ command: AdapterCommand) async throws {
        host.send(command)
        _ = try await answers.next(timeout: .seconds(60)) { $0 == id }
    }

    /// Whatever either executor still has to do, it has done.
    private func settle(_ host: GuardedHost, _ traffic: Traffic) async {
        for _ in 0..<3 {
            await withCheckedContinuation { done in
                if let seated = traffic.place.host?.host { seated.ping { done.resume() } } else { done.resume() }
            }
            await withCheckedContinuation { done in host.ping { done.resume() } }
        }
    }

    @Test("a scroll that shows twenty new cells → one command to the worker, one output back: one round trip")
    func scroll() async throws {
        let objects = try (0..<200).map { try ListObject(id: "o\($0)", fields: ["height": .double(40)]) }
        let answers = answers
        let host = GuardedHost(
            configuration: ListAdapter.Configuration(),
            controllers: SectionControllerTable(naming: ["*": "listd/single"]), objects: objects, revision: 1
        ) { effects in
            for effect in effects { if case .answer(let id, _) = effect { answers.record(id) } }
        }
        let traffic = Traffic()
        host.move(to: traffic.seat(of: host))
        var options = ListViewOptions()
        options.buffer = 0
        try await ask(host, 1, .openView(1, 1, options))
        for step in 0..<5 {
            let id = RequestID(step + 2)
            await settle(host, traffic)
            let before = traffic.count
            let rect = Rect(x: 0, y: Double(step) * 1000, width: 100, height: 800)
            try await ask(host, id, .view(id, 1, .setViewport(seen: 0, rect)))
            await settle(host, traffic)
            #expect(traffic.count.commands == before.commands + 1)
            #expect(traffic.count.outputs == before.outputs + 1)
        }
    }
}
