// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

@Suite("Callbacks during a flushing call")
struct FlushNowTests {
    @Test("a completion resyncs a view in a nested flush → no older change is sent after the resync")
    func resyncInLaterCompletion() throws {
        let list = try TestHost.letters("a:x")
        _ = try list.open()
        var picture: Picture?
        list.adapter.performUpdates(try [letters("a:x"), letters("b:x")]) { _ in
            list.adapter.performUpdates([]) { _ in picture = try? list.adapter.resync(view: 1) }
        }
        let results = list.adapter.flushNow()
        #expect(results.count == 2 && results.allSatisfy { $0.transaction != nil })
        let present = try #require(picture)
        for case .picture(let change) in results.flatMap(\.events) { #expect(change.sequence > present.sequence) }
        #expect(present.sequence == 3 && present.items.isEmpty)
    }

    /// Calls a closure when its section appears.
    final class Appearing: ListDisplayDelegate {
        var onDisplay: (() -> Void)?
        func sectionControllerWillDisplay(_ controller: ListSectionController) {
            let act = onDisplay
            onDisplay = nil
            act?()
        }
    }

    /// Calls a closure when an update has finished.
    final class Ending: ListUpdateListener {
        var onFinish: (() -> Void)?
        func adapter(_ adapter: ListAdapter, didFinish update: ListUpdateKind, animated: Bool) { onFinish?() }
    }

    @Test("a view is closed while all views are scrolled → no further change is sent to the closed view")
    func closedWhileScrolling() throws {
        let clock = LibraryTests.Clock()
        let rows = try (0..<40).map { try letters("r\($0):x") }
        let list = TestHost(rows, provider: ScriptedProvider { _ in LetterController(log: EventList()) })
        list.adapter.scheduler = clock
        _ = try list.open(1)
        _ = try list.open(2)
        let controller = try #require(list.controller("r39"))
        let (appearing, ending) = (Appearing(), Ending())
        let source = LibraryTests.Source(try [letters("r39:x"), letters("z:x")])
        controller.displayDelegate = appearing
        appearing.onDisplay = { list.adapter.setDataSource(source) }
        ending.onFinish = { list.receive((try? list.adapter.closeView(2)) ?? []) }
        list.adapter.addUpdateListener(ending)
        controller.context?.scrollToItem(at: 0)
        let events = clock.events + list.adapter.takeEvents()
        #expect(list.adapter.openViews == [1])
        let closed = try #require(events.firstIndex { if case .closed(2) = $0 { true } else { false } })
        #expect(!events[closed...].contains { if case .picture(let change) = $0 { change.view == 2 } else { false } })
    }

    /// Cancels a configured number of diffs.
    final class Cancelling: ListUpdaterDelegate {
        var isArmed = true
        func adapter(_ adapter: ListAdapter, didDiff result: ListIndexSetResult, onBackgroundThread: Bool) {
            if isArmed { adapter.cancelFlush() }
        }
    }

    @Test(
        "the delegate cancels every diff → the call returns, and pending work remains queued", .timeLimit(.minutes(1)))
    func cancelled() throws {
        let list = try TestHost.letters("a:x")
        let delegate = Cancelling()
        list.adapter.updaterDelegate = delegate
        var completed: [Bool] = []
        list.adapter.performUpdates(try [letters("b:x")]) { completed.append($0) }
        #expect(list.adapter.flushNow().allSatisfy { $0.transaction == nil })
        #expect(completed.isEmpty && list.ids == ["a"] && list.adapter.flushTiming == .now)
        delegate.isArmed = false
        #expect(list.adapter.flushNow().map { $0.transaction?.revision } == [1])
        #expect(completed == [true] && list.ids == ["b"] && list.adapter.flushTiming == .idle)
    }

    @Test(
        "every completion requests another update → the call returns, and the last update remains queued",
        .timeLimit(.minutes(1)))
    func withoutEnd() throws {
        let list = try TestHost.letters("a:x")
        var count = 0
        func again(_: Bool) {
            count += 1
            list.adapter.performUpdates([], completion: again)
        }
        again(true)
        #expect(list.adapter.flushNow().count == 256)
        #expect(count == 257 && list.adapter.flushTiming == .now)
    }
}
