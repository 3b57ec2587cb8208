// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("ObjectList: requests and updates")
struct ObjectListTests {
    @Test("several requests are queued → one write and one update follow, and each invalid request has its own error")
    func coalescing() throws {
        let owner = ObjectListOwner()
        owner.enqueue(.performUpdates(objects: try objects("a", "b", "c")))
        owner.enqueue(.applyChanges(removed: ["b"], upserts: [.init(try object("d"), position: .first)]))
        owner.enqueue(.moveObject(id: "nobody", position: .first))
        owner.enqueue(.patchObject(id: "c", set: ["n": 5], unset: []), animated: false)
        owner.flush()
        #expect(owner.ids == ["d", "a", "c"])
        #expect(owner.answers.map(\.id) == [1, 2, 3, 4])
        #expect(owner.answers.map(\.revision) == [1, 1, nil, 1])
        #expect(owner.answers[2].errorCode == .noSuchObject)
        #expect(owner.writes.map(\.change?.requests) == [[1, 2, 3, 4]])
        #expect(owner.writes[0].limit == 1 && owner.writes[0].revision == 0)
        #expect(owner.announced.map(\.revision) == [1])
        #expect(owner.updates.map(\.animated) == [false])
        #expect(try owner.list.log.changes(since: 0, byteLimit: .max) == owner.announced)
    }

    @Test("a request changes nothing → it is answered with the current revision, without a write or an update")
    func nothingChanged() throws {
        let owner = ObjectListOwner(try objects("a1", "b2"))
        for operation in [
            UpdateRequest.Operation.performUpdates(objects: try objects("a1", "b2")),
            .applyChanges(removed: ["x"], upserts: [.init(try object("a1"))]),
            .moveObject(id: "a", position: .first), .reloadObjects(["unknown"]), .reloadObjects([]),
        ] {
            owner.enqueue(operation)
            owner.flush()
        }
        #expect(owner.answers.map(\.revision) == [0, 0, 0, 0, 0])
        #expect(owner.writes.isEmpty && owner.updates.isEmpty && owner.list.numbers.requested == 0)
    }

    @Test("the revision that a request expects is replaced, even in the same flush → the request gets a conflict")
    func expectedRevision() throws {
        let owner = ObjectListOwner(try objects("a"))
        owner.enqueue(.invalid(ListError(.invalidObject, "bad")), expecting: 7)
        owner.enqueue(.invalid(ListError(.invalidObject, "bad")))
        owner.enqueue(.performUpdates(objects: try objects("a", "b")))
        owner.flush()
        #expect(owner.takeAnswers().map(\.errorCode) == [.revisionConflict, .invalidObject, nil])
        owner.enqueue(.applyChanges(removed: ["unknown"], upserts: []), expecting: 1)
        owner.enqueue(.applyChanges(removed: ["a"], upserts: []), expecting: 1)
        owner.enqueue(.applyChanges(removed: ["b"], upserts: []), expecting: 1)
        owner.enqueue(.applyChanges(removed: ["b"], upserts: []))
        owner.flush()
        #expect(owner.answers.map(\.revision) == [2, 2, nil, 2])
        #expect(owner.ids.isEmpty)
    }

    @Test("a full list has duplicates → they are dropped and counted, or the request fails, as configured")
    func duplicates() throws {
        let owner = ObjectListOwner()
        owner.enqueue(.performUpdates(objects: try objects("a1", "b", "a2", "b")))
        owner.enqueue(.performUpdates(objects: try objects("c", "c"), duplicates: .fail))
        owner.flush()
        #expect(owner.answers.map(\.droppedDuplicates.count) == [2, 0])
        #expect(owner.answers.map(\.errorCode) == [nil, .duplicateIdentifier])
        #expect(owner.list.table.object(at: 0, .old)?.fields["n"] == 1)
    }

    @Test(
        "an object has no section controller → it is dropped; a request arrives while types are checked → it runs later"
    )
    func rejected() throws {
        let owner = ObjectListOwner()
        let unknown = try ListObject(id: "u", type: "none", fields: [:])
        owner.enqueue(.performUpdates(objects: try objects("a") + [unknown]))
        owner.enqueue(.applyChanges(removed: [], upserts: [.init(unknown)]))
        let step = owner.list.next(now: 0) { requests in
            #expect(requests.map(\.id) == [1, 2])
            owner.enqueue(.applyChanges(removed: ["a"], upserts: []))
            return [ObjectIdentifier(unknown.objectType)]
        }
        owner.perform(step)
        #expect(owner.ids == ["a"] && owner.answers.count == 2)
        owner.flush()
        #expect(owner.ids.isEmpty && owner.answers.count == 3)
    }

    @Test("the store refuses a write → every request gets an error, and the list is unchanged")
    func refused() throws {
        let owner = ObjectListOwner(try objects("a", "b"))
        owner.refusal = (ListError(.storeFailed, "disk full"), false)
        for _ in 0..<3 {
            owner.enqueue(.applyChanges(removed: ["a"], upserts: []))
            owner.enqueue(.moveObject(id: "x", position: .first))
            owner.enqueue(.reloadData)
            owner.flush()
            #expect(owner.takeAnswers().map(\.errorCode) == [.storeFailed, .noSuchObject, .storeFailed])
            #expect(owner.ids == ["a", "b"] && !owner.list.table.isOpen)
        }
        owner.refusal = nil
        owner.enqueue(.applyChanges(removed: ["a"], upserts: []))
        owner.flush()
        #expect(owner.answers.map(\.revision) == [1])
        #expect(owner.writes.map(\.limit) == [1, 1, 1, 1])
    }

    @Test("the store refuses several requests together → each is retried separately, before later requests")
    func retryOneByOne() throws {
        let owner = ObjectListOwner(try objects("a")) {
            $0.coalescing = .init(minimum: 1000, maximum: 1000, increment: 0)
        }
        owner.enqueue(.reloadData)
        owner.flush()
        owner.refusal = (ListError(.limitsExceeded, "too much"), true)
        for name in ["b", "c", "d"] { owner.enqueue(.applyChanges(removed: [], upserts: [.init(try object(name))])) }
        owner.performNextStep(isUrgent: true)
        #expect(owner.answers.count == 1)
        owner.enqueue(.applyChanges(removed: ["a"], upserts: []))
        #expect(owner.list.timing == .now)
        owner.performNextStep()
        owner.refusal = nil
        owner.performNextStep()
        #expect(owner.list.timing == .now)
        owner.performNextStep()
        #expect(owner.list.timing != .now)
        owner.flush()
        #expect(owner.writes.map(\.change?.requests) == [[1], [2, 3, 4], [2], [3], [4], [5]])
        #expect(owner.answers.map(\.errorCode) == [nil, .limitsExceeded, nil, nil, nil])
        #expect(owner.ids == ["c", "d"])
    }

    @Test("a request requires a transaction of its own → it runs separately, in queue order")
    func goesAlone() throws {
        let owner = ObjectListOwner(try objects("a", "b"))
        let path = IndexPath(section: 0, item: 0)
        owner.enqueue(.reloadData)
        owner.enqueue(.moveItem(from: path, to: path))
        owner.enqueue(.configure(owner.list.configuration, controllersChanged: true))
        owner.enqueue(.reloadData)
        owner.enqueue(.reloadObjects(["a"]))
        owner.verdict = .section(from: 0, to: 1)
        owner.flush()
        #expect(owner.writes.map(\.change?.requests) == [[1], [2], [3], [4, 5]])
        #expect(owner.answers.map(\.revision) == [1, 2, 3, 4, 4])
    }

    @Test("an item is dragged → section controllers decide whether and where the item moves")
    func moveItem() throws {
        let owner = ObjectListOwner(try objects("a", "b", "c"))
        let path = IndexPath(section: 0, item: 0)
        func move(_ verdict: ItemMoveVerdict, expecting revision: UInt64 = 0) -> RequestAnswer? {
            owner.verdict = verdict
            owner.enqueue(.moveItem(from: path, to: path), expecting: revision)
            owner.flush()
            return owner.answers.last
        }
        #expect(move(.refused)?.isRefused == true)
        #expect(move(.error(ListError(.noSuchItem, "none")))?.errorCode == .noSuchItem)
        #expect(move(.section(from: 0, to: 9))?.errorCode == .noSuchItem)
        #expect(move(.object(try object("x")))?.errorCode == .noSuchItem)
        #expect(move(.section(from: 0, to: 2), expecting: 4)?.errorCode == .revisionConflict)
        #expect(move(.section(from: 1, to: 1))?.revision == 0)
        #expect(move(.object(try object("a")))?.revision == 0)
        #expect(owner.writes.isEmpty)
        #expect(move(.section(from: 0, to: 2))?.revision == 1)
        #expect(owner.ids == ["b", "c", "a"])
        #expect(move(.object(try object("c7")))?.revision == 2)
        #expect(owner.list.table.object(at: 1, .old)?.fields["n"] == 7)
        #expect(owner.announced.map(\.sections.moves.count) == [1, 0])
    }

    @Test("a section controller makes a dragged item's object too large → the move fails, and nothing changes")
    func moveItemEnlarges() throws {
        let owner = ObjectListOwner(try objects("a", "b"))
        owner.verdict = .object(
            try ListObject(id: "a", fields: ["t": .string(String(repeating: "x", count: 100))]))
        let path = IndexPath(section: 0, item: 0)
        owner.enqueue(.moveItem(from: path, to: path), maximumObjectBytes: 100)
        owner.flush()
        #expect(owner.answers.map(\.errorCode) == [.payloadTooLarge])
        #expect(owner.writes.isEmpty && owner.list.phase == .idle)
        owner.enqueue(.moveItem(from: path, to: path), maximumObjectBytes: 200)
        owner.flush()
        #expect(owner.answers.last?.revision == 1)
    }

    @Test(
        "the worker is lost while it moves an item → the next worker is asked, unless the move was already made"
    )
    func moveItemAgain() throws {
        let owner = ObjectListOwner(try objects("a", "b"), numbers: RevisionNumbers(unstoredAt: 0))
        let path = IndexPath(section: 0, item: 0)
        owner.enqueue(.moveItem(from: path, to: path))
        guard case .ask(let first) = owner.list.next(now: 0) else {
            Issue.record("the presenter is not called")
            return
        }
        #expect(owner.list.phase == .asking)
        owner.enqueue(.applyChanges(removed: ["b"], upserts: []))
        owner.list.cancelMove(now: 0)
        guard case .ask(let second) = owner.list.next(now: 0) else {
            Issue.record("the presenter is not called again")
            return
        }
        #expect(first == second)
        owner.receive(owner.list.recordItemChanges(owner.presenter.changeItem(at: 0).presented, answering: second.id))
        #expect(owner.answers.map(\.revision) == [1] && owner.list.phase == .idle)
        owner.flush()
        #expect(owner.ids == ["a"])
    }

    @Test("objects are reloaded → the update has their old indexes, without removed objects; the write has no content")
    func reloads() throws {
        let owner = ObjectListOwner(try objects("a", "b", "c", "d"))
        owner.enqueue(.reloadObjects(["b", "c", "x", "b"]))
        owner.enqueue(.applyChanges(removed: ["b"], upserts: [.init(try object("e"), position: .first)]))
        owner.enqueue(.reloadObjects(["d", "e"]))
        owner.flush()
        #expect(owner.updates[0].reloads == [IndexRun(first: 2, length: 2)])
        owner.enqueue(.reloadObjects(["a"]))
        owner.flush()
        #expect(owner.writes[1].change?.hasObjectChanges == false)
        #expect(owner.announced[1].sections.reloads.map(\.range) == [1..<2])
        owner.enqueue(.reloadData)
        owner.flush()
        #expect(owner.updates[2].isReload && owner.announced[2].kind == .reload)
        #expect(!owner.updates[2].animated)
    }

    @Test("an option of the layout changes → the change is stored and announced; another option → it is only applied")
    func options() throws {
        let owner = ObjectListOwner(try objects("a"))
        var new = owner.list.configuration
        new.workingRange = 3
        owner.enqueue(.configure(new, controllersChanged: false), expecting: 9)
        owner.enqueue(.configure(new, controllersChanged: false))
        owner.flush()
        #expect(owner.answers.map(\.errorCode) == [.revisionConflict, nil])
        #expect(owner.writes.isEmpty && owner.announced.isEmpty && owner.list.configuration.workingRange == 3)
        new.layout = .absolute
        owner.refusal = (ListError(.storeFailed, "no"), false)
        owner.enqueue(.configure(new, controllersChanged: false))
        owner.flush()
        #expect(owner.answers.last?.errorCode == .storeFailed && owner.list.configuration.layout == .flow)
        owner.refusal = nil
        owner.enqueue(.configure(new, controllersChanged: false))
        owner.flush()
        #expect(owner.list.configuration.layout == .absolute && owner.updates.last?.scope == .layout)
        #expect(owner.announced.map(\.kind) == [.reload])
    }

    @Test("the options for minimal moves and for background diffs → take effect")
    func diffs() throws {
        for isMinimal in [false, true] {
            let owner = ObjectListOwner(try objects("a", "b", "c", "d")) {
                $0.minimalMoves = isMinimal
                $0.backgroundDiffThreshold = 8
            }
            owner.enqueue(.performUpdates(objects: try objects("d", "a", "b", "c")))
            guard case .owner(.diff(let job)) = owner.list.next(now: 0) else {
                Issue.record("the diff does not run in the background")
                return
            }
            #expect(owner.list.phase == .diffing)
            owner.list.cancelDiff(now: 0)
            #expect(owner.list.timing == .now)
            guard case .owner(.wait) = owner.list.finishDiff(job.run()) else {
                Issue.record("a cancelled diff continues")
                return
            }
            owner.flush()
            #expect(owner.announced[0].sections.moves.count == (isMinimal ? 1 : 4))
            owner.enqueue(.performUpdates(objects: try objects("d", "a", "c")))
            guard case .owner(.store) = owner.list.next(now: 0) else {
                Issue.record("a small diff runs in the background")
                return
            }
        }
    }

    @Test(
        "requests arrive at the times of the test vector → flushes occur at the times of the test vector",
        .rule("CO-04...CO-11"),
        arguments: try CoalescerVectorTests.vectors("coalescer", "derivedFromSource"))
    func coalescer(vector: JSON) throws {
        let owner = ObjectListOwner { $0.coalescing = CoalescerVectorTests.configuration(vector["config"]) }
        func milliseconds(_ key: String) -> [UInt64] {
            (vector[key]?.array ?? []).compactMap(\.number).map { UInt64($0 * 1000) }
        }
        var fired: [UInt64] = []
        func fire(before limit: UInt64) {
            while case .at(let time) = owner.list.timing, time <= limit {
                owner.now = time
                fired.append(time)
                owner.performNextStep()
            }
        }
        for time in milliseconds("queueTimes") {
            fire(before: time)
            owner.now = time
            let request = UpdateRequest(id: time + 1, operation: .reloadData)
            owner.list.enqueue(request, now: time, isOnScreen: vector["visible"]?.boolean == true)
            guard owner.list.timing == .now else { continue }
            fired.append(time)
            owner.performNextStep()
        }
        fire(before: .max)
        #expect(fired == milliseconds("fireTimes"))
    }
}
