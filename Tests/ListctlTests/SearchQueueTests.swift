// SPDX-License-Identifier: Apache-2.0

import DBus
import Testing

@testable import listctl

/// A finder that returns the test's result when the test allows it.
@DBusActor
private final class HeldFinder {
    private(set) var asked: [String] = []
    private(set) var mostAtOnce = 0
    private var running = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func find(_ query: Search.Query, while isWanted: @DBusActor () -> Bool) async throws(DBusError) -> Search.Hit? {
        asked.append(query.text)
        running += 1
        mostAtOnce = max(mostAtOnce, running)
        await withCheckedContinuation { waiting.append($0) }
        running -= 1
        return nil
    }

    func answer() {
        let waited = waiting
        waiting = []
        for one in waited { one.resume() }
    }
}

@DBusActor
private final class Outcomes {
    var texts: [String] = []
}

@Suite("SearchQueue: one search at a time")
@DBusActor
struct SearchQueueTests {
    @Test(
        "texts are typed during a search → one search at a time, and only the newest text waits"
    )
    func newest() async {
        let finder = HeldFinder()
        let outcomes = Outcomes()
        let queue = SearchQueue { query, _ in outcomes.texts.append(query.text) }
        for text in ["a", "ab", "abc"] { queue.start(Search.Query(text: text), with: finder.find) }
        while finder.asked.count < 1 { await Task.yield() }
        finder.answer()
        while finder.asked.count < 2 { await Task.yield() }
        finder.answer()
        while outcomes.texts.isEmpty { await Task.yield() }
        #expect(finder.asked == ["a", "abc"])
        #expect(outcomes.texts == ["abc"])
        #expect(finder.mostAtOnce == 1)
    }

    @Test("a search is cancelled → its result is not reported, and the next search starts after its end")
    func cancelled() async {
        let finder = HeldFinder()
        let outcomes = Outcomes()
        let queue = SearchQueue { query, _ in outcomes.texts.append(query.text) }
        queue.start(Search.Query(text: "a"), with: finder.find)
        while finder.asked.isEmpty { await Task.yield() }
        queue.cancel()
        queue.start(Search.Query(text: "b"), with: finder.find)
        finder.answer()
        while finder.asked.count < 2 { await Task.yield() }
        finder.answer()
        while outcomes.texts.isEmpty { await Task.yield() }
        #expect(outcomes.texts == ["b"])
        #expect(finder.mostAtOnce == 1)
    }
}
