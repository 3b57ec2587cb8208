// SPDX-License-Identifier: Apache-2.0

import Foundation
import ListKit
import TestSupport
import Testing

/// The updater of the article "An updater of your own".
private final class CalmUpdater: ListUpdating {
    private(set) var asked: [ListChangeCounts] = []

    func form(of change: ListChangeCounts) -> ListOptions.Updater {
        asked.append(change)
        return change.total <= 10 ? .batch : .reload
    }
}

@Suite("An updater of a program's own")
struct OwnUpdaterTests {
    private static func adapter(
        _ updater: (any ListUpdating)?, log: EventList = EventList(),
        configure: (inout ListOptions) -> Void = { _ in }
    ) -> ListAdapter {
        var configuration = ListOptions()
        configure(&configuration)
        return ListAdapter(
            configuration: configuration, updater: updater,
            controllers: ScriptedProvider { _ in LetterController(log: log) })
    }

    private static func update(_ adapter: ListAdapter, _ texts: [String]) throws -> [Transaction.Kind?] {
        adapter.performUpdates(try texts.map { try letters($0) })
        return adapter.flushNow().map(\.transaction?.kind)
    }

    @Test("an updater animates ten changes at most → ten are a batch, eleven a reload, and controllers stay")
    func calm() throws {
        let updater = CalmUpdater()
        let adapter = Self.adapter(updater)
        let ten = (0..<10).map { "o\($0):x" }
        #expect(try Self.update(adapter, ten) == [.update])
        let kept = adapter.sectionController(forID: "o3")
        #expect(try Self.update(adapter, ten.reversed() + ["a:x", "b:x"]) == [.reload])
        #expect(kept != nil && adapter.sectionController(forID: "o3") === kept)
        #expect(try Self.update(adapter, ["a:y"]) == [.reload])
        // An update that changes nothing is asked about too, and is none.
        #expect(try Self.update(adapter, ["a:y"]) == [nil])
        #expect(updater.asked.map(\.inserted) == [10, 2, 0, 0] && updater.asked.map(\.removed) == [0, 0, 11, 0])
        #expect(updater.asked.map(\.updated) == [0, 0, 1, 0])
        #expect(adapter.revision == 3)
    }

    @Test("the article about updaters is read → it has the updater that these tests use")
    func article() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let article = try text("Sources/ListKit/ListKit.docc/An-Updater-Of-Your-Own.md")
        let rule = "change.total <= 10 ? .batch : .reload"
        #expect(article.contains(rule) && article.contains("final class CalmUpdater: ListUpdating {"))
        for function in ["requests >= 3 ? .now : .idle", "ListComparison(contents: .pointerPersonality"] {
            #expect(article.contains(function))
            #expect(try text("Tests/ListKitTests/Update/OwnUpdaterTests.swift").contains(function))
        }
    }

    @Test("an updater waits for three requests → they are taken together, or when the program flushes")
    func waiting() throws {
        final class Waiting: ListUpdating {
            func timing(planned: FlushTiming, requests: Int) -> FlushTiming {
                requests >= 3 ? .now : .idle
            }
        }
        final class Clock: ListScheduler {
            let now: UInt64 = 0
            private(set) var calls: [() -> Void] = []
            func schedule(_ timing: FlushTiming, _ work: @escaping () -> Void) {
                if timing == .now { calls.append(work) }
            }
        }
        let (adapter, clock) = (Self.adapter(Waiting()), Clock())
        adapter.scheduler = clock
        for number in 1...3 {
            #expect(clock.calls.isEmpty)
            adapter.performUpdates([try letters("o\(number):x")])
            #expect(adapter.flushTiming == (number == 3 ? .now : .idle))
        }
        #expect(clock.calls.count == 1)
        clock.calls.first?()
        #expect(adapter.revision == 1 && adapter.objects(from: 0, limit: .max).map(\.id) == ["o3"])
        adapter.performUpdates([])
        #expect(adapter.flushTiming == .idle)
        #expect(adapter.flushNow().count == 1 && adapter.objectCount == 0)
    }

    @Test("an updater decides how objects are compared → contents may be ignored, and any diff may leave the thread")
    func comparing() throws {
        final class Unread: ListUpdating {
            private(set) var planned: [ListComparison] = []
            func comparison(
                of old: [ListObject], with new: [ListObject], planned: ListComparison
            ) -> ListComparison {
                self.planned.append(planned)
                return ListComparison(contents: .pointerPersonality, moves: .minimal, isInBackground: old.isEmpty)
            }
        }
        let (updater, log) = (Unread(), EventList())
        let adapter = Self.adapter(updater, log: log) { $0.backgroundDiffThreshold = 4 }
        let first = [try letters("a:x"), try letters("b:x")]
        adapter.performUpdates(first)
        guard case .diff(let job) = adapter.beginFlush(now: 0) else {
            Issue.record("the diff stays on the thread")
            return
        }
        guard case .commit = adapter.finishDiff(job.run()) else {
            Issue.record("nothing has changed")
            return
        }
        _ = adapter.commitFlush()
        _ = log.drain()
        adapter.performUpdates([try letters("b:x"), first[0]])
        let transaction = try #require(adapter.flushNow().first?.transaction)
        #expect(log.drain() == ["update b@0"])
        #expect(transaction.sections.reloads.map(\.range) == [1..<2] && transaction.sections.moves.count == 1)
        #expect(updater.planned.map(\.isInBackground) == [false, true])
        #expect(updater.planned.allSatisfy { $0.contents == .equality && $0.moves == .positional })
    }

    @Test("a list has one of ListKit's two updaters → it announces the same as with the option of that name")
    func standard() throws {
        let pairs: [(any ListUpdating, ListOptions.Updater)] = [
            (ListBatchUpdater(), .batch), (ListReloadUpdater(), .reload),
        ]
        for (updater, option) in pairs {
            let (left, right) = (EventList(), EventList())
            let own = Self.adapter(updater, log: left)
            let configured = Self.adapter(nil, log: right) { $0.updater = option }
            for list in [own, configured] {
                try list.openView(1)
                _ = try list.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 100))
            }
            for texts in [["a:xy", "b:x"], ["a:xy", "b:x"], ["b:x", "c:z"], ["b:y", "c:z", "d:"], []] {
                let kinds = try (Self.update(own, texts), Self.update(configured, texts))
                #expect(kinds.0 == kinds.1, "\(option) \(texts)")
                for list in [own, configured] {
                    guard let controller = list.sectionController(forID: "c") as? LetterController else { continue }
                    controller.context?.performBatch(updates: { batch in
                        controller.letters.append("w")
                        batch.insertItems(at: [controller.letters.count - 1])
                    })
                }
                let changed = (own.flushNow().map(\.transaction), configured.flushNow().map(\.transaction))
                #expect(changed.0.map(\.?.kind) == changed.1.map(\.?.kind))
                #expect(changed.0.map(\.?.itemCount) == changed.1.map(\.?.itemCount))
                #expect(left.drain() == right.drain())
            }
            #expect(own.revision == configured.revision)
        }
    }
}
