// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Write requests: errors and revisions")
struct WritingTests {
    @Test("a request changes nothing → it is answered without a revision or a transaction", .rule("WT-06"))
    func nothingChanged() throws {
        let list = TestHost(try objects("a1", "b2"))
        for operation in [
            UpdateRequest.Operation.performUpdates(objects: try objects("a1", "b2")),
            .applyChanges(removed: ["x"], upserts: [.init(try object("a1"))]),
            .applyChanges(removed: [], upserts: [.init(try object("b2"), position: .last)]),
            .applyChanges(removed: [], upserts: [.init(try object("a1"), position: .before("b"))]),
            .moveObject(id: "a", position: .first), .patchObject(id: "a", set: ["n": 1], unset: ["none"]),
            .reloadObjects(["unknown"]), .reloadObjects([]), .applyChanges(removed: [], upserts: []),
        ] {
            #expect(try list.perform(operation).revision == 0)
        }
        #expect(list.adapter.revision == 0)
        #expect(list.takeEvents().isEmpty)
    }

    @Test(
        "an anchor or object is unknown → NoSuchObject is thrown, and no part of the call is applied",
        .rule("SM-15", "WT-11"))
    func unknownAnchor() throws {
        let list = TestHost(try objects("a", "b"))
        let changes: [UpdateRequest.Operation] = [
            .applyChanges(
                removed: ["a"], upserts: [.init(try object("c")), .init(try object("d"), position: .after("nobody"))]),
            .applyChanges(removed: ["a"], upserts: [.init(try object("c"), position: .before("a"))]),
            .moveObject(id: "x", position: .first), .moveObject(id: "a", position: .before("x")),
            .patchObject(id: "x", set: [:], unset: []),
        ]
        for change in changes { #expect(try list.perform(change).errorCode == .noSuchObject) }
        #expect(list.ids == ["a", "b"])
        #expect(list.adapter.revision == 0)
    }

    @Test(
        "an object with itself as anchor → keeps its position; a new object with itself as anchor → becomes the last",
        .rule("WT-12"))
    func selfAnchor() throws {
        let list = TestHost(try objects("a", "b", "c"))
        #expect(try list.perform(.moveObject(id: "b", position: .after("b"))).revision == 0)
        try list.perform(.applyChanges(removed: [], upserts: [.init(try object("d"), position: .before("d"))]))
        #expect(list.ids == ["a", "b", "c", "d"])
    }

    @Test("a request has several upserts → each is applied to the result of the previous upsert", .rule("WT-11"))
    func upsertsInOrder() throws {
        let list = TestHost(try objects("a", "b"))
        try list.perform(
            .applyChanges(
                removed: ["a"],
                upserts: [
                    .init(try object("c"), position: .first), .init(try object("d"), position: .after("c")),
                    .init(try object("a1"), position: .keep), .init(try object("b"), position: .last),
                ]))
        #expect(list.ids == ["c", "d", "a", "b"])
    }

    @Test(
        "a full list has duplicates → they are dropped and counted, or the request fails, as configured",
        .rule("WT-07"))
    func duplicates() throws {
        let list = TestHost()
        let answer = try list.perform(.performUpdates(objects: objects("a1", "b", "a2", "b")))
        #expect(answer.droppedDuplicates == DroppedDuplicates(count: 2, ids: ["a", "b"]))
        let many = try (0..<24).map { try ListObject(id: "o\($0 % 12)") }
        let dropped = try TestHost().perform(.performUpdates(objects: [many[3]] + many)).droppedDuplicates
        #expect(dropped.count == 13 && dropped.ids == ["o3"] + [0, 1, 2, 4, 5, 6, 7].map { "o\($0)" })
        #expect(list.adapter.object(at: 0)?.fields["n"] == 1)
        let failed = try list.perform(.performUpdates(objects: objects("c", "c"), duplicates: .fail))
        #expect(failed.errorCode == .duplicateIdentifier)
        #expect(list.ids == ["a", "b"])
    }

    @Test(
        "the revision that a request expects is replaced, even in the same flush → the request gets a conflict",
        .rule("WT-04"))
    func expectedRevision() throws {
        let list = TestHost(try objects("a"))
        #expect(try list.perform(.moveObject(id: "x", position: .first), expecting: 7).errorCode == .revisionConflict)
        let error = ListError(.invalidObject, "bad")
        #expect(try list.perform(.invalid(error), expecting: 7).errorCode == .revisionConflict)
        #expect(try list.perform(.invalid(error)).errorCode == .invalidObject)
        try list.update(objects("a", "b"))
        let calls = [
            list.enqueue(.applyChanges(removed: ["unknown"], upserts: []), expecting: 1),
            list.enqueue(.applyChanges(removed: ["a"], upserts: []), expecting: 1),
            list.enqueue(.applyChanges(removed: ["b"], upserts: []), expecting: 1),
            list.enqueue(.applyChanges(removed: ["b"], upserts: [])),
        ]
        list.flush()
        let outcomes = calls.map { id in list.answers.last { $0.id == id } }
        #expect(outcomes.map { $0?.revision } == [2, 2, nil, 2])
        #expect(outcomes[2]?.errorCode == .revisionConflict)
        #expect(list.ids.isEmpty)
    }

    @Test("a full list equals the current list → a later request of the flush that expects this revision succeeds")
    func equalFullList() throws {
        let list = TestHost(try objects("a"))
        try list.update(objects("a1"))
        let first = list.enqueue(.performUpdates(objects: try objects("a1")))
        let second = list.enqueue(.applyChanges(removed: ["a"], upserts: []), expecting: 1)
        list.flush()
        #expect(list.answers.suffix(2).map(\.id) == [first, second])
        #expect(list.answers.suffix(2).map(\.revision) == [2, 2])
    }

    @Test(
        "several requests are queued → one transaction follows, and each invalid request has its own error",
        .rule("WT-01", "WT-05"))
    func coalescing() throws {
        let list = TestHost()
        let ids = [
            list.enqueue(.performUpdates(objects: try objects("a", "b", "c"))),
            list.enqueue(.applyChanges(removed: ["b"], upserts: [.init(try object("d"), position: .first)])),
            list.enqueue(.moveObject(id: "nobody", position: .first)),
            list.enqueue(.patchObject(id: "c", set: ["n": 5], unset: [])),
        ]
        let result = list.flush()
        #expect(result.answers.map(\.id) == ids)
        #expect(result.answers.map(\.revision) == [1, 1, nil, 1])
        #expect(list.ids == ["d", "a", "c"])
        #expect(result.transaction?.baseRevision == 0)
        #expect(result.transaction?.sections.inserts == [IndexRun(first: 0, length: 3)])
    }

    @Test("changes of a flush cancel each other out → there is no new revision")
    func cancellingOut() throws {
        let list = TestHost(try objects("a1", "b", "c"))
        list.enqueue(.patchObject(id: "a", set: ["n": 2], unset: []))
        list.enqueue(.moveObject(id: "a", position: .last))
        list.enqueue(.applyChanges(removed: ["b"], upserts: [.init(try object("b"), position: .before("c"))]))
        list.enqueue(.applyChanges(removed: [], upserts: [.init(try object("x"))]))
        list.enqueue(.applyChanges(removed: ["x"], upserts: [.init(try object("a1"), position: .first)]))
        let result = list.flush()
        #expect(result.transaction == nil)
        #expect(result.answers.allSatisfy { $0.revision == 0 })
    }

    @Test("the store fails → every request of the flush gets the error, and the list remains usable")
    func storeFails() throws {
        let list = TestHost(try objects("a", "b"))
        list.enqueue(.applyChanges(removed: ["a"], upserts: []))
        list.enqueue(.moveObject(id: "x", position: .first))
        guard case .commit = list.adapter.beginFlush(now: 0) else {
            Issue.record("there is no transaction to commit")
            return
        }
        #expect(list.ids == ["a", "b"])
        let result = list.adapter.abortFlush(ListError(.storeFailed, "disk full"))
        #expect(result.answers.map(\.errorCode) == [.storeFailed, .noSuchObject])
        #expect(result.transaction == nil)
        #expect(list.ids == ["a", "b"])
        #expect(try list.perform(.applyChanges(removed: ["a"], upserts: [])).revision == 1)
        #expect(list.ids == ["b"])
    }

    @Test(
        "the store fails repeatedly → the first accepted transaction includes items that changed meanwhile"
    )
    func storeFailsTwice() throws {
        let list = try TestHost.letters("a:x", "b:y")
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.letters.append("n")
            batch.insertItems(at: [1])
        })
        func fail() throws {
            guard case .commit = list.adapter.beginFlush(now: 0) else {
                Issue.record("there is no transaction to commit")
                return
            }
            _ = list.adapter.abortFlush(ListError(.storeFailed, "disk full"))
        }
        for _ in 0..<2 {
            list.enqueue(.patchObject(id: "b", set: ["items": "yz"], unset: []))
            try fail()
            #expect(list.itemCounts == [1, 1])
        }
        let answer = try list.perform(.patchObject(id: "b", set: ["items": "yz"], unset: []))
        #expect(answer.revision == 1)
        #expect(list.itemCounts == [2, 2])
        #expect(list.adapter.items(inSection: 0).map { $0.content["letter"]?.string } == ["x", "n"])
    }

    @Test("a transaction is prepared but not committed → list and views still have the former state")
    func readingWhilePrepared() throws {
        let list = TestHost(try objects("a", "b"))
        var screen = try list.open()
        list.enqueue(.performUpdates(objects: try objects("c", "a", "d1")))
        guard case .commit = list.adapter.beginFlush(now: 0) else {
            Issue.record("there is no transaction to commit")
            return
        }
        #expect(list.ids == ["a", "b"])
        #expect(list.adapter.section(forID: "c") == nil)
        #expect(list.adapter.flushTiming == .idle)
        try screen.expectEqualToResync(of: list.adapter)
        screen.receive(list.adapter.commitFlush().events)
        #expect(list.ids == ["c", "a", "d"])
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("objects have a type without a section controller → they are dropped", .rule("AD-15", "EE-42"))
    func withoutController() throws {
        let list = try TestHost.letters("a:x")
        let objects = [try letters("a:x"), try letters("skip:y", type: "none"), try letters("b:z")]
        #expect(try list.perform(.performUpdates(objects: objects)).revision == 1)
        #expect(list.ids == ["a", "b"])
        let skip = UpdateRequest.Upsert(try letters("skip:y", type: "none"))
        #expect(try list.perform(.applyChanges(removed: [], upserts: [skip])).revision == 1)
        #expect(list.ids == ["a", "b"])
    }
}
