// SPDX-License-Identifier: Apache-2.0

import DBus
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("A list whose section controllers run in the daemon", .timeLimit(.minutes(5)))
@DBusActor
struct LocalPresenterTests {
    private func rows(_ range: Range<Int>) throws -> [ListObject] {
        try range.map { try ListObject(id: "o\($0)", fields: ["height": .double(40)]) }
    }

    private func attachWorker(_ stage: ListHostStage) async -> NearWorker {
        let worker = NearWorker(stage.host)
        stage.host.attach(worker.slot)
        await stage.settle(worker)
        return worker
    }

    /// Makes a call and returns the news up to its answer, without those of the clock.
    private func news(of call: HostCall, _ stage: ListHostStage) async throws -> [HostNews] {
        stage.send(call)
        var said: [HostNews] = []
        while true {
            let news = try await stage.said.next(timeout: .seconds(60))
            if case .again = news { continue }
            said.append(news)
            if case .answer = news { return said }
        }
    }

    /// Drops all news so far.
    private func dropNews(_ stage: ListHostStage) async throws {
        _ = try await stage.ask(.read(999, .changes(since: 999, byteLimit: 1)))
    }

    @Test("random calls to a list in the daemon → it says what a list in a worker says", arguments: 0..<24)
    func sameAsElsewhere(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed &* 31 &+ 5)
        let objects = try RestingListTests.objects(0..<Int.random(in: 0...60, using: &random))
        let (here, there) = (ListHostStage(objects, revision: 7), ListHostStage(objects, revision: 7))
        here.host.presentLocally()
        let worker = await attachWorker(there)
        try await dropNews(here)
        try await dropNews(there)
        for id in 1...60 as ClosedRange<RequestID> {
            var call = try RestingListTests.call(id, &random)
            if Int.random(in: 0..<8, using: &random) == 0 {
                let from = IndexPath(section: Int.random(in: 0..<20, using: &random), item: 0)
                let to = IndexPath(section: Int.random(in: 0..<20, using: &random), item: 0)
                call = .update(id, .moveItem(from: from, to: to))
            }
            let expected = try await news(of: call, there).map { "\($0)" }
            #expect(try await news(of: call, here).map { "\($0)" } == expected, "\(call)")
            await there.settle(worker)
        }
    }

    @Test(
        "a list moves from the daemon to a worker and back → its views continue, and no event is reported twice"
    )
    func moves() async throws {
        let stage = ListHostStage(try rows(0..<50), revision: 1)
        stage.host.presentLocally()
        var options = ListViewOptions()
        options.buffer = 0
        _ = try await stage.ask(.openView(1, 1, options)).get()
        let rect = Rect(x: 0, y: 400, width: 100, height: 200)
        let shown = try await news(of: .view(2, 1, .setViewport(seen: 0, rect)), stage)
        let displayed = shown.compactMap { news in
            if case .event(.display(let change)) = news { change.willDisplay.map(\.objectID) } else { nil }
        }
        #expect(displayed == [["o10", "o11", "o12", "o13", "o14"]])
        _ = try await stage.ask(.view(3, 1, .select(id: "o11", item: 0, true))).get()
        for round in 0..<2 as Range<RequestID> {
            if round == 0 { _ = await attachWorker(stage) } else { stage.host.presentLocally() }
            let opened = try await stage.said.next(timeout: .seconds(60)) {
                if case .event(.updated) = $0 { true } else { false }
            }
            guard case .event(.updated(let transaction)) = opened else { return }
            #expect(transaction.kind == .reload && transaction.revision == 2 * round + 2)
            let far = UpdateRequest.Operation.patchObject(id: "o49", set: ["title": .string("\(round)")], unset: [])
            let said = try await news(of: .update(10 + round, far), stage)
            let told = said.contains { news in
                switch news {
                case .event(.display), .event(.workingRange), .event(.selection), .closed: true
                default: false
                }
            }
            #expect(!told)
            guard case .answer(_, let outcome) = said.last else { return }
            #expect(outcome.revision == 2 * round + 3)
        }
        guard case .text(let text) = try await stage.ask(.read(20, .description)).get() else { return }
        #expect(
            text.contains("section controllers in the daemon") && text.contains("1 views")
                && text.contains("1 selected"))
        let end = try await news(of: .stop(21, .adapterRemoved), stage)
        let ended = end.compactMap { news in
            if case .event(.display(let change)) = news { change.didEndDisplaying.count } else { nil }
        }
        #expect(ended == [5])
        #expect(end.contains { if case .closed(1, .adapterRemoved) = $0 { true } else { false } })
    }
}
