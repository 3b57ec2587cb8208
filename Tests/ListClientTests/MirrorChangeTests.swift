// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@testable import ListClient

/// An array that follows a mirror by nothing but the changes that the mirror reports.
private struct NaiveFollower {
    var objects: [MirroredObject] = []

    /// Applies changes one by one. The content of a replaced list comes from `daemon`.
    mutating func apply(_ changes: [MirrorChange], listOf daemon: NaiveDaemon) throws {
        for change in changes {
            switch change {
            case .replaced(let count):
                objects = daemon.objects(0..<daemon.ids.count)
                #expect(objects.count == count)
            case .inserted(let section, let object):
                try #require((0...objects.count).contains(section))
                objects.insert(object, at: section)
            case .deleted(let section, let object):
                try #require(objects.indices.contains(section))
                #expect(objects.remove(at: section).id == object?.id)
            case .moved(let from, let to, let object):
                try #require(objects.indices.contains(from) && objects.indices.contains(to))
                #expect(objects[from].id == object.id)
                objects.insert(objects.remove(at: from), at: to)
            case .updated(let section, let object):
                try #require(objects.indices.contains(section))
                #expect(objects[section].id == object.id)
                objects[section] = object
            }
        }
    }
}

@Suite("Changes of a mirror")
struct MirrorChangeTests {
    @Test(
        "random transactions whose objects are read late or vanish unread → the reported changes add up to the list",
        arguments: 0..<60)
    func addUp(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var daemon = NaiveDaemon(count: Int.random(in: 0..<14, using: &random))
        var (mirror, follower) = (Mirror(), NaiveFollower())
        mirror.reset(epoch: "e", revision: daemon.revision, total: daemon.ids.count)
        var told = 0
        for _ in 0..<80 {
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                #expect(mirror.apply(daemon.step(&random)) == .none)
            }
            // Reads all missing objects, or a part of them.
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                guard let run = mirror.missing else { break }
                let end = Int.random(in: (run.first + 1)...run.range.upperBound, using: &random)
                _ = mirror.fill(
                    from: run.first, objects: daemon.objects(run.first..<end), epoch: "e", revision: daemon.revision)
            }
            guard let changes = mirror.consumeChanges() else { continue }
            told += 1
            try follower.apply(changes, listOf: daemon)
            #expect(follower.objects == daemon.objects(0..<daemon.ids.count))
            #expect(mirror.consumeChanges() == [])
        }
        #expect(told > 0)
    }

    @Test(
        "an object appears and vanishes before being read → other objects are reported at their correct positions"
    )
    func vanished() throws {
        var daemon = NaiveDaemon(count: 3)
        var mirror = Mirror()
        mirror.reset(epoch: "e", revision: 1, total: 3)
        _ = mirror.fill(from: 0, objects: daemon.objects(0..<3), epoch: "e", revision: 1)
        _ = mirror.consumeChanges()
        var follower = NaiveFollower(objects: daemon.objects(0..<3))
        let batches: [Update.Sections] = [
            Update.Sections(inserts: [IndexRun(first: 0, count: 1)]),
            Update.Sections(inserts: [IndexRun(first: 4, count: 1)]),
            Update.Sections(deletes: [IndexRun(first: 0, count: 1)]),
        ]
        for (revision, batch) in zip(UInt64(1)..., batches) {
            let update = Update(baseRevision: revision, revision: revision + 1, kind: .update, sections: batch)
            #expect(mirror.apply(update) == .none)
        }
        daemon.ids.append("B")
        _ = mirror.fill(from: 3, objects: daemon.objects(3..<4), epoch: "e", revision: 4)
        let changes = mirror.consumeChanges() ?? []
        #expect(changes == [.inserted(section: 3, object: daemon.object("B"))])
        try follower.apply(changes, listOf: daemon)
        #expect(follower.objects == daemon.objects(0..<4))
    }

    @Test("content changes in several places and transactions → each object is reported once, at its position")
    func contentOnly() {
        var daemon = NaiveDaemon(count: 100)
        var mirror = Mirror()
        mirror.reset(epoch: "e", revision: 1, total: 100)
        _ = mirror.fill(from: 0, objects: daemon.objects(0..<100), epoch: "e", revision: 1)
        _ = mirror.consumeChanges()
        for (revision, section) in zip(UInt64(1)..., [70, 20, 70, 21]) {
            daemon.version["o\(section)", default: 0] += 1
            let update = Update(
                baseRevision: revision, revision: revision + 1, kind: .update,
                sections: Update.Sections(reloads: [IndexRun(first: section, count: 1)]))
            #expect(mirror.apply(update) == .none)
        }
        #expect(mirror.missing == IndexRun(first: 20, count: 2))
        _ = mirror.fill(from: 20, objects: daemon.objects(20..<22), epoch: "e", revision: 5)
        #expect(mirror.missing == IndexRun(first: 70, count: 1))
        _ = mirror.fill(from: 70, objects: daemon.objects(70..<71), epoch: "e", revision: 5)
        let changes = mirror.consumeChanges()
        #expect(changes == [20, 21, 70].map { .updated(section: $0, object: daemon.object("o\($0)")) })
    }
}

@Suite("ArrayScript: steps from one order of an array to another")
struct ArrayScriptTests {
    /// Returns the array after the steps of a script, whose inserted elements come from `new`.
    private func apply(_ script: ArrayScript, to old: [UInt64], new: [UInt64]) throws -> [UInt64] {
        var keys = old
        for step in script.steps {
            switch step {
            case .delete(let position):
                try #require(keys.indices.contains(position))
                keys.remove(at: position)
            case .insert(let position, let target):
                try #require((0...keys.count).contains(position) && new.indices.contains(target))
                keys.insert(new[target], at: position)
            case .move(let from, let to, let target):
                try #require(keys.indices.contains(from) && keys.indices.contains(to) && keys[from] == new[target])
                keys.insert(keys.remove(at: from), at: to)
            }
        }
        return keys
    }

    private func permutations(_ keys: [UInt64]) -> [[UInt64]] {
        guard let first = keys.first else { return [[]] }
        return permutations(Array(keys.dropFirst())).flatMap { rest in
            (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
        }
    }

    @Test(
        "all orders of up to four old and two new keys → the steps lead from the old order to the new one",
        arguments: 0...4)
    func exhaustive(count: Int) throws {
        let old = (0..<UInt64(count)).map { $0 }
        for choice in 0..<(1 << (count + 2)) {
            let keys = (0..<UInt64(count + 2)).filter { choice & (1 << Int($0)) != 0 }
            for new in permutations(keys) {
                let script = ArrayScript(from: old, to: new)
                #expect(try apply(script, to: old, new: new) == new)
            }
        }
    }

    @Test(
        "random long orders → steps that lead from the old to the new order, with the fewest possible moves",
        arguments: 0..<30)
    func random(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let old = (0..<UInt64(Int.random(in: 0..<300, using: &random))).map { $0 }
        var new = old.filter { _ in !random.chance(oneIn: 5) }
        if random.chance(oneIn: 2) { new.shuffle(using: &random) }
        for key in 0..<UInt64(Int.random(in: 0..<40, using: &random)) {
            new.insert(1000 + key, at: Int.random(in: 0...new.count, using: &random))
        }
        for _ in 0..<5 where !new.isEmpty {
            let key = new.remove(at: Int.random(in: 0..<new.count, using: &random))
            new.insert(key, at: Int.random(in: 0...new.count, using: &random))
        }
        let script = ArrayScript(from: old, to: new)
        #expect(try apply(script, to: old, new: new) == new)
        let moves = script.steps.count { if case .move = $0 { true } else { false } }
        let common = new.filter { $0 < 1000 }
        #expect(moves == common.count - naiveLongestAscending(common))
    }

    /// Returns the length of the longest increasing subsequence, by the quadratic dynamic program.
    private func naiveLongestAscending(_ keys: [UInt64]) -> Int {
        var best: [Int] = []
        for (index, key) in keys.enumerated() {
            best.append(1 + ((0..<index).filter { keys[$0] < key }.map { best[$0] }.max() ?? 0))
        }
        return best.max() ?? 0
    }

    @Test("one element moves a long way → a single step moves it")
    func oneMove() {
        #expect(ArrayScript(from: [1, 2, 3, 4], to: [2, 3, 4, 1]).steps == [.move(from: 0, to: 3, target: 3)])
        #expect(ArrayScript(from: [1, 2, 3, 4], to: [4, 1, 2, 3]).steps == [.move(from: 3, to: 0, target: 0)])
        #expect(ArrayScript(from: [], to: []).steps == [])
    }
}
