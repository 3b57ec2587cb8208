// SPDX-License-Identifier: Apache-2.0

import Testing

@testable @_spi(Daemon) import ListKit

@Suite("ObjectList: revisions, item changes, storing and a change of process")
struct ObjectListNumbersTests {
    @Test(
        "items change while an update is stored or applied → their changes get earlier revisions than the update")
    func itemChangesMeanwhile() throws {
        let owner = ObjectListOwner(try objects("a", "b"))
        let block = try #require(owner.list.reserve(now: 0))
        #expect(block.limit == RevisionNumbers.blockSize)
        owner.list.finishReserving(block, .success(()), now: 0)
        owner.enqueue(.applyChanges(removed: ["a"], upserts: [.init(try object("c"))]))
        guard case .owner(.store(let work)) = owner.list.next(now: 0) else {
            Issue.record("there is no update to store")
            return
        }
        #expect(work.limit == block.limit + 1)
        owner.receive(owner.list.recordItemChanges(owner.presenter.changeItem(at: 0).presented))
        guard case .present(let update) = owner.list.finishStoring(.success(()), now: 0) else {
            Issue.record("there is no update to present")
            return
        }
        #expect(owner.ids == ["a", "b"])
        owner.receive(owner.list.recordItemChanges(owner.presenter.changeItem(at: 1).presented))
        owner.receive(owner.list.finishPresenting(owner.presenter.present(update).presented))
        #expect(owner.announced.map(\.revision) == [1, 2, 3])
        #expect(owner.announced.map(\.sections.deletes.count) == [0, 0, 1])
        #expect(owner.ids == ["b", "c"] && owner.answers.map(\.revision) == [3])
    }

    @Test("no revisions are left → item changes wait, but the update in progress has a revision of its own")
    func withoutNumbers() throws {
        let owner = ObjectListOwner(try objects("a"))
        #expect(owner.list.recordItemChanges(owner.presenter.changeItem(at: 0).presented) == nil)
        owner.enqueue(.applyChanges(removed: [], upserts: [.init(try object("b"))]))
        guard case .owner(.store) = owner.list.next(now: 0),
            case .present(let update) = owner.list.finishStoring(.success(()), now: 0)
        else {
            Issue.record("there is no update to present")
            return
        }
        #expect(owner.list.recordItemChanges(owner.presenter.changeItem(at: 0).presented) == nil)
        owner.receive(owner.list.finishPresenting(owner.presenter.present(update).presented))
        #expect(owner.list.numbers.last == 1)
        for (now, retry) in [(50, 150), (150, 350), (350, 750)] as [(UInt64, UInt64)] {
            let work = try #require(owner.list.reserve(now: now))
            #expect(owner.list.reserve(now: now) == nil)
            owner.list.finishReserving(work, .failure(ListError(.storeFailed, "no")), now: now)
            #expect(owner.list.reserve(now: retry - 1) == nil)
        }
        let work = try #require(owner.list.reserve(now: 750))
        owner.list.finishReserving(work, .success(()), now: 750)
        #expect(owner.list.reserve(now: 99_999) == nil)
        owner.receive(owner.list.recordItemChanges(owner.presenter.changeItem(at: 0).presented))
        #expect(owner.announced.map(\.revision) == [1, 2])
    }

    @Test(
        "item updates are pending → the next list update applies them; without one, they run alone")
    func itemUpdates() throws {
        let owner = ObjectListOwner(try objects("a"), numbers: RevisionNumbers(unstoredAt: 0))
        let first = owner.list.makeTicket()
        owner.list.setFirstItemUpdate(first, now: 0, isOnScreen: true)
        #expect(owner.list.timing == .now)
        guard case .presentItems(first) = owner.list.next(now: 0) else {
            Issue.record("the item updates do not run")
            return
        }
        #expect(owner.list.timing == .idle)
        let second = owner.list.makeTicket()
        owner.list.setFirstItemUpdate(second, now: 0, isOnScreen: true)
        owner.enqueue(.patchObject(id: "a", set: ["n": 1], unset: []))
        let path = IndexPath(section: 0, item: 0)
        owner.enqueue(.moveItem(from: path, to: path))
        let third = owner.list.makeTicket()
        owner.performNextStep()
        #expect(owner.updates.map(\.through) == [Ticket(number: second.number + 1)] && third > owner.updates[0].through)
        owner.list.setFirstItemUpdate(third, now: 0, isOnScreen: true)
        owner.performNextStep()
        #expect(owner.answers.map(\.id) == [1, 2])
        guard case .presentItems(third) = owner.list.next(now: 0) else {
            Issue.record("the item updates behind the other request do not run")
            return
        }
        // Item updates run before the answer to a later request without effect.
        let fourth = owner.list.makeTicket()
        owner.list.setFirstItemUpdate(fourth, now: 0, isOnScreen: true)
        owner.enqueue(.reloadObjects([]))
        let revision = owner.list.numbers.last
        owner.performNextStep()
        #expect(owner.answers.count == 3 && owner.list.numbers.last == revision + 1 && owner.list.timing == .idle)
        guard case .success(revision + 1) = owner.answers[2].outcome else {
            Issue.record("the request is answered with the revision before the item updates")
            return
        }
    }

    @Test("item updates are pending without available revisions → a block of revisions is reserved first")
    func itemUpdatesWithoutNumbers() throws {
        let owner = ObjectListOwner(try objects("a"))
        owner.list.setFirstItemUpdate(owner.list.makeTicket(), now: 0, isOnScreen: true)
        guard case .owner(.reserve(let work)) = owner.list.next(now: 0) else {
            Issue.record("no block of revisions is reserved")
            return
        }
        #expect(owner.list.timing == .idle)
        owner.list.finishReserving(work, .failure(ListError(.storeFailed, "no")), now: 10)
        #expect(owner.list.timing == .at(110))
        owner.now = 110
        owner.performNextStep()
        #expect(owner.list.timing == .now)
        owner.performNextStep()
        #expect(owner.announced.map(\.revision) == [1])
    }

    @Test(
        "another process opens the list → a reload with a new revision is announced, including the update in progress")
    func reload() throws {
        let owner = ObjectListOwner(try objects("a"))
        guard owner.list.beginReload() == nil, case .reserve(let work) = owner.list.reservationStep(now: 0) else {
            Issue.record("the reload has no revision")
            return
        }
        owner.list.finishReserving(work, .success(()), now: 0)
        let reload = try #require(owner.list.beginReload())
        owner.perform(.present(reload))
        #expect(owner.announced.map(\.kind) == [.reload] && owner.announced[0].revision == 1)
        owner.enqueue(.applyChanges(removed: ["a"], upserts: []))
        guard case .owner(.store) = owner.list.next(now: 0), owner.list.beginReload() == nil,
            case .present = owner.list.finishStoring(.success(()), now: 0),
            let update = owner.list.beginReload()
        else {
            Issue.record("the update is not presented as a reload")
            return
        }
        #expect(update.isReload && owner.list.table.count(.new) == 0)
        // Opening the list does not report changes.
        owner.receive(owner.list.finishPresenting(Announcement(itemCount: 0)))
        #expect(owner.announced.map(\.kind) == [.reload, .reload] && owner.announced[1].sectionCount == 0)
        #expect(owner.answers.map(\.revision) == [2])
    }

    @Test("an update is applied → events before its transaction have the old revision, and later events the new one")
    func stamping() throws {
        let owner = ObjectListOwner(try objects("a"), numbers: RevisionNumbers(unstoredAt: 6))
        owner.enqueue(.reloadObjects(["a"]))
        guard case .owner(.store) = owner.list.next(now: 0),
            case .present(let update) = owner.list.finishStoring(.success(()), now: 0)
        else {
            Issue.record("there is no update to present")
            return
        }
        var presented = owner.presenter.present(update).presented
        let said = [
            AdapterEvent.nearEnd(view: 1, revision: 0, distance: 1), .stalled(view: 2, sequence: 3, revision: 0),
        ]
        presented.events =
            [said[0]] + presented.events + presented.events + [said[1], .display(DisplayChange(view: 1, revision: 0))]
        let events = owner.list.finishPresenting(presented).events
        #expect(events.map(\.revision) == [6, 7, 7, 7])
        let quiet = owner.list.recordItemChanges(Announcement(events: said, itemCount: 1))
        #expect(quiet?.events.map(\.revision) == [7, 7] && owner.list.numbers.last == 7)
    }

    @Test("a source sends cursors → each is stored with the last applied event; if nothing changed, nothing is written")
    func cursors() throws {
        let owner = ObjectListOwner(try objects("a"))
        owner.enqueue(.patchObject(id: "a", set: ["n": 1], unset: []), cursor: [1])
        owner.enqueue(.patchObject(id: "a", set: ["n": 2], unset: []), cursor: [2])
        owner.enqueue(.moveObject(id: "nobody", position: .first), cursor: [3])
        owner.enqueue(.reloadObjects([]))
        owner.flush()
        #expect(owner.writes.map(\.change?.cursor) == [[2]])
        owner.enqueue(.patchObject(id: "a", set: ["n": 2], unset: []), cursor: [4])
        owner.flush()
        #expect(owner.writes.count == 1)
        #expect(owner.announced.count == 1 && owner.answers.last?.revision == 1)
    }

    @Test("storing is enabled → the whole list and its revision are written first, later updates one by one")
    func storing() throws {
        let owner = ObjectListOwner(try objects("a"), numbers: RevisionNumbers(unstoredAt: 0))
        owner.enqueue(.applyChanges(removed: [], upserts: [.init(try object("b"))]))
        owner.flush()
        owner.refusal = (ListError(.storeFailed, "no"), false)
        owner.list.enqueue(storing: true, id: 50, now: 0)
        owner.flush()
        #expect(owner.answers.last?.errorCode == .storeFailed && owner.list.numbers.isUnstored)
        owner.refusal = nil
        owner.list.enqueue(storing: true, id: 51, now: 0)
        owner.flush()
        let work = try #require(owner.writes.last)
        #expect(work.limit == 1 && work.revision == 1 && work.log == owner.announced)
        let objects = try #require(work.change?.whole)
        #expect(objects.map(\.id) == ["a", "b"] && !owner.list.numbers.isUnstored)
        owner.enqueue(.reloadData)
        owner.flush()
        #expect(owner.writes.last?.limit == 2 && owner.writes.last?.log == [])
        owner.list.enqueue(storing: false, id: 52, now: 0)
        owner.flush()
        #expect(owner.list.numbers.isUnstored && owner.answers.last?.id == 52)
    }

    @Test("log entries are unwritten → each is written once, with the next write or after a quiet period")
    func log() throws {
        let owner = ObjectListOwner(try objects("a"))
        for number in 1...3 {
            owner.enqueue(.patchObject(id: "a", set: ["n": .int64(Int64(number))], unset: [])); owner.flush()
        }
        #expect(owner.writes.map { $0.log.map(\.revision) } == [[], [1], [2]])
        let quiet = try #require(owner.list.pendingWrite())
        #expect(quiet.log.map(\.revision) == [3] && quiet.limit == 3 && quiet.revision == 3 && quiet.change == nil)
        owner.list.recordStored(quiet)
        #expect(owner.list.pendingWrite() == nil && owner.list.end() == nil)
        let block = try #require(ObjectListOwner(try objects("a")).list.reserve(now: 0))
        #expect(block.limit == RevisionNumbers.blockSize && block.log.isEmpty)
    }

    @Test("the list ends → its unwritten log entries are written, and no revision follows")
    func end() throws {
        let owner = ObjectListOwner(try objects("a"))
        let block = try #require(owner.list.reserve(now: 0))
        owner.list.finishReserving(block, .success(()), now: 0)
        owner.receive(owner.list.recordItemChanges(owner.presenter.changeItem(at: 0).presented))
        let work = try #require(owner.list.end())
        #expect(work.limit == 1 && work.revision == 1 && work.log.map(\.revision) == [1])
        #expect(owner.list.recordItemChanges(owner.presenter.changeItem(at: 0).presented) == nil)
        let numbers = RevisionNumbers(restoring: work.revision, limit: work.limit)
        #expect(numbers.last == 1)
    }

    @Test("a list ends while no process can apply its requests → each pending request is refused once")
    func refuseWaiting() throws {
        let owner = ObjectListOwner(try objects("a"))
        let path = IndexPath(section: 0, item: 0)
        owner.enqueue(.moveItem(from: path, to: path))
        owner.enqueue(.reloadData)
        guard case .ask = owner.list.next(now: 0) else {
            Issue.record("the presenter is not called")
            return
        }
        let answers = owner.list.refuseWaiting(ListError(.pluginFailed, "gone"))
        #expect(answers.map(\.id) == [1, 2] && answers.allSatisfy { $0.errorCode == .pluginFailed })
        #expect(owner.list.phase == .idle && owner.list.timing == .idle)
    }
}

extension AdapterEvent {
    /// The revision of the event.
    fileprivate var revision: UInt64? {
        switch self {
        case .updated(let transaction): transaction.revision
        case .display(let change): change.revision
        case .stalled(_, _, let revision), .nearEnd(_, let revision, _): revision
        default: nil
        }
    }
}
