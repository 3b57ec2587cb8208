// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

/// Tests the mirror property: a client that applies every `Updated` signal has the same objects as `GetObjects`
/// returns.
@Suite("A mirror of a list over a real bus", .timeLimit(.minutes(5)))
struct MirrorTests {
    @Test(
        "1,000 random transactions → the mirror equals GetObjects after each transaction",
        .rule("AO-03"), arguments: [1, 2])
    @DBusActor
    func randomTransactions(seed: UInt64) async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("random", ["prefer-item-reloads": .boolean(seed == 2)])
        let updates = EventLog<UpdatedSignal>()
        _ = try await stage.client.subscribe(MatchRule(path: adapter.path, member: "Updated")) { message in
            if let update = try? UpdatedSignal(message), update.kind != "announce" { updates.record(update) }
        }
        var random = SeededRandom(seed: seed)
        var mirror = ListMirror(try await adapter.objects())
        for step in 0..<1000 {
            try await change(adapter, mirror.rows, step, &random)
            let state = try await adapter.objects()
            // Signals are sent before the reply, so all signals up to this revision have arrived.
            var taken: [UpdatedSignal] = []
            while !updates.recorded.isEmpty { taken.append(try await updates.next()) }
            try mirror.apply(taken, leadingTo: state)
        }
        #expect(mirror.revision > 800)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("the reload updater gets the same objects again → the list has a new revision, announced as a reload")
    @DBusActor
    func reloadUpdater() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("again", ["updater": .string("reload")])
        let updates = EventLog<UpdatedSignal>()
        _ = try await stage.client.subscribe(MatchRule(path: adapter.path, member: "Updated")) { message in
            if let update = try? UpdatedSignal(message), update.kind != "announce" { updates.record(update) }
        }
        let rows = [Row("a", "", ["n": .int64(1)])]
        _ = try await adapter.performUpdates(rows)
        _ = try await adapter.performUpdates(rows)
        let (first, second) = (try await updates.next(), try await updates.next())
        #expect([first.kind, second.kind] == ["reload", "reload"] && second.revision == first.revision + 1)
        #expect(try await adapter.objects().revision == second.revision)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @DBusActor
    private func change(
        _ adapter: TestAdapter, _ rows: [ObjectRow], _ step: Int, _ random: inout SeededRandom
    ) async throws {
        if random.chance(oneIn: 4) {
            var all = rows.filter { _ in !random.chance(oneIn: 6) }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                all.insert(object(step, &random), at: Int.random(in: 0...all.count, using: &random))
            }
            if random.chance(oneIn: 2), all.count > 1 { all.swapAt(0, Int.random(in: 1..<all.count, using: &random)) }
            _ = try await adapter.performUpdates(all.map { Row($0.id, $0.type, $0.fields) })
        } else {
            let removed = rows.filter { _ in random.chance(oneIn: 20) }.map(\.id)
            let left = rows.map(\.id).filter { !removed.contains($0) }
            let upserts = (0..<Int.random(in: 0...4, using: &random)).map { _ in upsert(step, left, &random) }
            _ = try await adapter.applyChanges(remove: removed, upserts)
        }
    }

    private func object(_ step: Int, _ random: inout SeededRandom) -> ObjectRow {
        ObjectRow(
            id: "\(step)-\(random.next() % 1000)", type: ["row", "card"][Int(random.next() % 2)],
            fields: ["n": .int64(Int64(random.next() % 5))])
    }

    private func upsert(_ step: Int, _ ids: [String], _ random: inout SeededRandom) -> Upsert {
        var row = object(step, &random)
        if random.chance(oneIn: 2), let known = random.pick(ids) { row.id = known }
        let position = random.pick(["keep", "first", "last", "before", "after"]) ?? "keep"
        guard ["before", "after"].contains(position), let anchor = random.pick(ids) else {
            return Upsert(row.id, row.type, ids.isEmpty ? "last" : "keep", "", row.fields)
        }
        return Upsert(row.id, row.type, position, anchor, row.fields)
    }
}
