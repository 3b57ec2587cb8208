// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@testable import ListClient

/// A simple model of a daemon with one list, which produces updates of the list.
struct NaiveDaemon {
    var revision: UInt64 = 1
    var ids: [String]
    var version: [String: Int64] = [:]
    var next = 0

    init(count: Int) {
        ids = (0..<count).map { "o\($0)" }
        next = count
    }

    func object(_ id: String) -> MirroredObject {
        MirroredObject(id: id, type: "", fields: ["version": .int64(version[id] ?? 0)])
    }

    func objects(_ range: Range<Int>) -> [MirroredObject] { range.map { object(ids[$0]) } }

    /// Applies one random transaction: deletes, moves, inserts and reloads together.
    mutating func step(_ random: inout some RandomNumberGenerator) -> Update {
        var batch = Update.Sections()
        let old = ids
        var leaving = Set(old.indices.filter { _ in Int.random(in: 0..<6, using: &random) == 0 })
        let moving = old.indices.filter { !leaving.contains($0) && Int.random(in: 0..<6, using: &random) == 0 }
        batch.deletes = leaving.sorted().map { IndexRun(first: $0, count: 1) }
        leaving.formUnion(moving)
        var new = old.indices.filter { !leaving.contains($0) }.map { old[$0] }
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            new.insert("o\(next)", at: Int.random(in: 0...new.count, using: &random))
            next += 1
        }
        for origin in moving { new.insert(old[origin], at: Int.random(in: 0...new.count, using: &random)) }
        let before = Set(old)
        for (section, id) in new.enumerated() where !before.contains(id) {
            batch.inserts.append(IndexRun(first: section, count: 1))
        }
        for origin in moving {
            guard let target = new.firstIndex(of: old[origin]) else { continue }
            batch.moves.append(IndexMove(from: origin, to: target))
        }
        for (section, id) in old.enumerated()
        where new.contains(id) && Int.random(in: 0..<8, using: &random) == 0 {
            version[id, default: 0] += 1
            batch.reloads.append(IndexRun(first: section, count: 1))
        }
        ids = new
        revision += 1
        return Update(
            baseRevision: revision - 1, revision: revision, kind: .update, sectionCount: new.count, sections: batch)
    }
}

@Suite("The client's mirror of a list")
struct MirrorTests {
    private func makeMirror(of daemon: NaiveDaemon) -> Mirror {
        var mirror = Mirror()
        mirror.reset(epoch: "e", revision: daemon.revision, total: daemon.ids.count)
        fill(&mirror, from: daemon)
        return mirror
    }

    private func fill(_ mirror: inout Mirror, from daemon: NaiveDaemon) {
        while let run = mirror.missing {
            let end = min(run.first + 3, run.range.upperBound)
            let step = mirror.fill(
                from: run.first, objects: daemon.objects(run.first..<end), epoch: "e", revision: daemon.revision)
            #expect(step == .none)
        }
    }

    @Test(
        "random transactions, with missing objects read immediately or later → the mirror equals the daemon's list",
        arguments: 0..<40)
    func randomTransactions(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var daemon = NaiveDaemon(count: Int.random(in: 0..<12, using: &random))
        var mirror = makeMirror(of: daemon)
        for _ in 0..<60 {
            #expect(mirror.apply(daemon.step(&random)) == .none)
            #expect(mirror.count == daemon.ids.count)
            if Bool.random(using: &random) { fill(&mirror, from: daemon) }
        }
        fill(&mirror, from: daemon)
        #expect(mirror.objects == daemon.ids.map { daemon.object($0) })
        #expect(mirror.revision == daemon.revision)
    }

    @Test(
        "a signal is lost → the next signal makes the mirror catch up; a signal is repeated → it is ignored",
        .rule("AO-04"))
    func lostSignal() {
        var random = SeededRandom(seed: 7)
        var daemon = NaiveDaemon(count: 5)
        var mirror = makeMirror(of: daemon)
        let first = daemon.step(&random)
        let second = daemon.step(&random)
        #expect(mirror.apply(second) == .catchUp(since: 1))
        #expect(mirror.apply(first) == .none)
        #expect(mirror.apply(first) == .none)
        #expect(mirror.apply(second) == .none)
        #expect(mirror.revision == 3)
    }

    @Test(
        "a later revision is announced → the mirror catches up; the present one is announced → the mirror ignores it",
        .rule("AO-06"))
    func announce() {
        var mirror = makeMirror(of: NaiveDaemon(count: 2))
        #expect(mirror.apply(Update(baseRevision: 1, revision: 1, kind: .announce)) == .none)
        #expect(mirror.apply(Update(baseRevision: 4, revision: 4, kind: .announce)) == .catchUp(since: 1))
    }

    @Test("the daemon announces a reload of the list → the mirror reads the whole list again")
    func reload() {
        var mirror = makeMirror(of: NaiveDaemon(count: 2))
        #expect(mirror.apply(Update(baseRevision: 1, revision: 2, kind: .reload)) == .readAll)
    }

    @Test(
        "a batch does not fit the mirror → the whole list is read again, and the mirror is unchanged until then",
        arguments: [
            Update.Sections(deletes: [IndexRun(first: 3, count: 1)]),
            Update.Sections(deletes: [IndexRun(first: 0, count: 1), IndexRun(first: 0, count: 1)]),
            Update.Sections(inserts: [IndexRun(first: 5, count: 1)]),
            Update.Sections(moves: [IndexMove(from: 0, to: 9)]),
            Update.Sections(reloads: [IndexRun(first: 2, count: 4_294_967_295)]),
        ])
    func misfit(batch: Update.Sections) {
        let daemon = NaiveDaemon(count: 3)
        var mirror = makeMirror(of: daemon)
        #expect(mirror.apply(Update(baseRevision: 1, revision: 2, kind: .update, sections: batch)) == .readAll)
        #expect(mirror.objects == daemon.ids.map { daemon.object($0) })
    }

    @Test("objects change → the mirror reports the changes after it has read the objects' content")
    func changes() {
        var mirror = makeMirror(of: NaiveDaemon(count: 3))
        #expect(mirror.consumeChanges() == [.replaced(count: 3)])
        let batch = Update.Sections(
            deletes: [IndexRun(first: 0, count: 1)], inserts: [IndexRun(first: 2, count: 1)],
            moves: [IndexMove(from: 2, to: 0)], reloads: [IndexRun(first: 1, count: 1)])
        #expect(mirror.apply(Update(baseRevision: 1, revision: 2, kind: .update, sections: batch)) == .none)
        #expect(mirror.consumeChanges() == nil)
        let new = MirroredObject(id: "new", type: "", fields: [:])
        let changed = MirroredObject(id: "o1", type: "x", fields: [:])
        #expect(mirror.missing == IndexRun(first: 1, count: 2))
        #expect(mirror.fill(from: 1, objects: [changed, new], epoch: "e", revision: 2) == .none)
        let daemon = NaiveDaemon(count: 3)
        #expect(
            mirror.consumeChanges() == [
                .deleted(section: 0, object: daemon.object("o0")),
                .moved(from: 0, to: 1, object: changed), .inserted(section: 2, object: new),
                .updated(section: 1, object: changed),
            ])
    }

    @Test("items change inside a section → the section's object is read again")
    func itemChanges() {
        var mirror = makeMirror(of: NaiveDaemon(count: 3))
        let items = Update.Items(inserts: [ItemPath(section: 2, item: 1)], reloads: [ItemPath(section: 0, item: 0)])
        #expect(mirror.apply(Update(baseRevision: 1, revision: 2, kind: .update, items: items)) == .none)
        #expect(mirror.missing == IndexRun(first: 0, count: 1))
        _ = mirror.fill(from: 0, objects: [MirroredObject(id: "o0", type: "", fields: [:])], epoch: "e", revision: 2)
        #expect(mirror.missing == IndexRun(first: 2, count: 1))
    }
}
