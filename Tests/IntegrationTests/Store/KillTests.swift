// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// Tests the promise of durability `disk`: every answered write survives kill -9.
@Suite("kill -9 under a mixed load", .timeLimit(.minutes(60)))
@DBusActor
struct KillTests {
    nonisolated private static let kills = ProcessInfo.processInfo.environment["LISTD_SOAK"] == "1" ? 300 : 10

    @Test(
        "listd is killed at random moments → every answered change is stored, and no change is partially stored",
        .rule("DU-01"))
    func kills() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        let stages = try StoreStage()
        let writers = (0..<3).map { Writer(name: "list \($0)", seed: seed &+ UInt64($0)) }
        let creator = Creator(seed: seed &+ 77)
        let crowd = Crowd(seed: seed &+ 99)
        for round in 0..<Self.kills {
            let stage = try await stages.start()
            do {
                try await creator.check(stage, ignoring: writers.map(\.name) + [crowd.name])
                for writer in writers { try await writer.check(stage) }
                try await crowd.check(stage)
            } catch {
                Issue.record("seed \(seed), kill \(round): \(error); \(stage.listd.standardError)")
                await stage.kill()
                return
            }
            let left = Countdown(Int.random(in: 1...150, using: &random))
            async let killed: Void = left.wait(thenKill: stage)
            await withTaskGroup { group in
                for writer in writers { group.addTask { await writer.write(to: stage, until: left) } }
                group.addTask { await creator.create(on: stage, until: left) }
                for member in 0..<4 { group.addTask { await crowd.write(asMember: member, to: stage, until: left) } }
            }
            await killed
        }
        let stage = try await stages.start()
        #expect(try await stage.manager.call("Dump", returning: String.self).contains("integrity ok"))
        for writer in writers { #expect(writer.revision > 0) }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }
}

/// A countdown of events, such as the answers until the moment of a kill.
@DBusActor
final class Countdown {
    private var left: Int
    private let end = EventLog<Void>()
    private(set) var isOver = false

    init(_ count: Int) { left = count }

    /// Counts one event.
    func countDown() {
        left -= 1
        if left == 0 { finish() }
    }

    /// Records that the daemon has ended or is about to end.
    func finish() {
        guard !isOver else { return }
        isOver = true
        end.record(())
    }

    func wait(thenKill stage: Stage) async {
        try? await end.next(timeout: .seconds(300))
        await stage.kill()
    }
}

/// A lost or wrong change that the test has found.
struct Lost: Error, CustomStringConvertible {
    let description: String
    init(_ text: String) { description = text }
}

/// A writer of one list that sends one change after the other, and models the list's content.
@DBusActor
private final class Writer {
    let name: String
    private(set) var revision: UInt64 = 0
    private var random: SeededRandom
    private var rows: [ObjectRow] = []
    private var inFlight: ListChange?
    private var epoch: String?
    /// A copy of the list at an earlier revision, which `check` brings up to date with the list's recorded changes.
    private var mirror: ListMirror?

    nonisolated init(name: String, seed: UInt64) {
        self.name = name
        random = SeededRandom(seed: seed)
    }

    /// Compares listd's objects with the answered writes. The change in flight may or may not be stored.
    func check(_ stage: Stage) async throws {
        guard let epoch else { return }
        let adapter = try await stage.adapter(name)
        guard try await adapter.epoch() == epoch else { throw Lost("the list “\(name)” has another epoch") }
        let state = try await adapter.objects()
        let next = inFlight?.applied(to: rows)
        if let next, state.rows == next, state.revision == revision + 1 {
            (rows, revision) = (next, state.revision)
        }
        guard state.rows == rows, state.revision == revision else {
            throw Lost("“\(name)” is at revision \(state.revision) with \(state.rows), not \(revision) with \(rows)")
        }
        inFlight = nil
        mirror = try await mirror?.caughtUp(with: adapter, isKilled: true)
    }

    func write(to stage: Stage, until left: Countdown) async {
        do {
            let adapter = try await open(stage)
            while !left.isOver {
                let change = ListChange.random(for: rows, using: &random)
                let next = change.applied(to: rows)
                inFlight = change
                let answer = try await change.perform(on: adapter)
                // A change without effect does not raise the revision.
                if answer != (next == rows ? revision : revision + 1) {
                    Issue.record("\(name): \(change) got the unexpected answer \(answer)")
                }
                (rows, revision, inFlight) = (next, answer, nil)
                if random.chance(oneIn: 20) { mirror = ListMirror((revision, rows)) }
                left.countDown()
            }
        } catch {
            // The daemon has ended.
            if !left.isOver { Issue.record("\(name): \(error)") }
            left.finish()
        }
    }

    private func open(_ stage: Stage) async throws -> TestAdapter {
        if epoch != nil { return try await stage.adapter(name) }
        let known = try await stage.names().contains(name)
        let adapter = known ? try await stage.adapter(name) : try await stage.createStored(name)
        epoch = try await adapter.epoch()
        return adapter
    }
}

/// A client that creates and removes lists.
@DBusActor
private final class Creator {
    private var random: SeededRandom
    private var epochs: [String: String] = [:]
    private var inFlight: String?
    private var count = 0

    nonisolated init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Checks that listd has exactly the lists that this client has created, apart from the lists of other clients.
    func check(_ stage: Stage, ignoring others: [String]) async throws {
        var names = try await stage.names().subtracting(others)
        if let inFlight {
            // The call was not answered, so both outcomes are correct.
            if names.remove(inFlight) != nil {
                epochs[inFlight] = try await stage.adapter(inFlight).epoch()
                names.insert(inFlight)
            } else {
                epochs[inFlight] = nil
            }
        }
        inFlight = nil
        guard names == Set(epochs.keys) else {
            throw Lost("the lists are \(names.sorted()), not \(epochs.keys.sorted())")
        }
        for (name, epoch) in epochs where try await stage.adapter(name).epoch() != epoch {
            throw Lost("the list “\(name)” has another epoch")
        }
    }

    func create(on stage: Stage, until left: Countdown) async {
        do {
            while !left.isOver {
                if epochs.count > 4, let name = random.pick(epochs.keys.sorted()) {
                    inFlight = name
                    try await stage.manager.call("RemoveAdapter", name)
                    epochs[name] = nil
                } else {
                    count += 1
                    let name = "made \(count)"
                    inFlight = name
                    let adapter = try await stage.createStored(name)
                    // Recorded before the epoch is read, because the list exists even if listd is killed in
                    // between.
                    epochs[name] = ""
                    epochs[name] = try await adapter.epoch()
                }
                inFlight = nil
                left.countDown()
            }
        } catch {
            if !left.isOver { Issue.record("creating or removing a list: \(error)") }
            left.finish()
        }
    }
}

/// Concurrent writers of one list, so that one flush stores changes of several writers. Each change inserts two
/// objects.
@DBusActor
private final class Crowd {
    let name = "crowd"
    private var random: SeededRandom
    private var answered: Set<String> = []
    private var asked: Set<String> = []
    private var mirror: ListMirror?

    nonisolated init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func check(_ stage: Stage) async throws {
        guard !answered.isEmpty else { return }
        let adapter = try await stage.adapter(name)
        let state = try await adapter.objects()
        let ids = Set(state.rows.map(\.id))
        let pairs = Set(ids.filter { $0.hasSuffix("a") }.map { String($0.dropLast()) })
        guard ids.count == pairs.count * 2, pairs.allSatisfy({ ids.contains($0 + "b") }) else {
            throw Lost("\(name): only half of a change was stored")
        }
        guard answered.isSubset(of: pairs), pairs.isSubset(of: asked) else {
            throw Lost("“\(name)” lost \(answered.subtracting(pairs)) or invented \(pairs.subtracting(asked))")
        }
        mirror = try await mirror?.caughtUp(with: adapter, isKilled: true)
        mirror = ListMirror(state)
        answered = pairs
        // The list must not grow, or rounds would take longer and longer.
        guard pairs.count > 400 else { return }
        _ = try await adapter.performUpdates([])
        (answered, asked, mirror) = ([], [], nil)
    }

    func write(asMember member: Int, to stage: Stage, until left: Countdown) async {
        do {
            let adapter = try await open(stage)
            while !left.isOver {
                let pair = "\(member) \(random.next())"
                asked.insert(pair)
                let upserts = ["a", "b"].map { Upsert(pair + $0, "t", "first", "", ["v": .string(pair)]) }
                _ = try await adapter.applyChanges(upserts)
                answered.insert(pair)
                left.countDown()
            }
        } catch {
            if !left.isOver { Issue.record("\(name): \(error)") }
            left.finish()
        }
    }

    private func open(_ stage: Stage) async throws -> TestAdapter {
        if try await stage.names().contains(name) { return try await stage.adapter(name) }
        do {
            return try await stage.createStored(name)
        } catch let error as DBusError where error.name == Listd.error("AdapterExists") {
            return try await stage.adapter(name)
        }
    }
}
