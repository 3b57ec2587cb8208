// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("The event loop")
struct LoopTests {
    @Test("several threads post closures → the loop thread runs them in each thread's order")
    func posting() async throws {
        let log = EventLog<(thread: Int, number: Int, onLoop: Bool)>()
        for thread in 0..<4 {
            Thread.detachNewThread {
                for number in 0..<500 {
                    EventLoop.shared.post { log.record((thread, number, EventLoop.shared.isCurrent)) }
                }
            }
        }
        var next = [0, 0, 0, 0]
        for _ in 0..<2000 {
            let event = try await log.next()
            #expect(event.number == next[event.thread])
            #expect(event.onLoop)
            next[event.thread] += 1
        }
        #expect(!EventLoop.shared.isCurrent)
    }

    @Test("tasks of the actor and closures are enqueued → the loop thread runs all of them in that order")
    @DBusActor
    func tasksAndPosts() async throws {
        let log = EventLog<Int>()
        #expect(EventLoop.shared.isCurrent)
        for number in 0..<50 {
            if number % 2 == 0 {
                EventLoop.shared.post { log.record(number) }
            } else {
                Task { @DBusActor in log.record(number) }
            }
        }
        for number in 0..<50 { #expect(try await log.next() == number) }
    }

    @Test("several timers are set → they fire in the order of their deadlines, and never after cancellation")
    @DBusActor
    func timers() async throws {
        let log = EventLog<String>()
        let never = EventLoop.shared.addTimer(after: .milliseconds(1)) { log.record("cancelled") }
        EventLoop.shared.addTimer(after: .milliseconds(30)) { log.record("last") }
        EventLoop.shared.addTimer(after: .milliseconds(2)) { log.record("second") }
        EventLoop.shared.addTimer(after: .zero) { log.record("first") }
        never.cancel()
        #expect(!never.isActive)
        for expected in ["first", "second", "last"] { #expect(try await log.next() == expected) }
        let repeating = EventLoop.shared.addTimer(after: .milliseconds(1), repeats: true) { log.record("again") }
        for _ in 0..<3 { #expect(try await log.next() == "again") }
        repeating.cancel()
        let after = EventLog<Void>()
        EventLoop.shared.addTimer(after: .milliseconds(5)) { after.record(()) }
        _ = try await after.next()
        #expect(log.recorded.isEmpty || log.recorded.allSatisfy { $0 == "again" })
    }

    @Test("thousands of timers are added and most of them cancelled → the remaining timers fire in order")
    @DBusActor
    func manyTimers() async throws {
        var random = SeededRandom(seed: 23)
        let log = EventLog<Int>()
        var left: [(delay: Int, number: Int)] = []
        for number in 0..<3000 {
            let delay = Int.random(in: 0...20, using: &random)
            let timer = EventLoop.shared.addTimer(after: .milliseconds(delay)) { log.record(number) }
            if random.chance(oneIn: 10) { left.append((delay, number)) } else { timer.cancel() }
        }
        var places: [Int: Int] = [:]
        for place in left.indices { places[try await log.next()] = place }
        #expect(places.keys.sorted() == left.map(\.number))
        // A timer fires before all timers that were added later, except those with shorter delays.
        for (index, earlier) in left.enumerated() {
            for later in left[(index + 1)...] where earlier.delay <= later.delay {
                #expect(
                    places[earlier.number] ?? .max < places[later.number] ?? .min,
                    "timer \(earlier.number) of \(earlier.delay) ms, timer \(later.number) of \(later.delay) ms")
            }
        }
    }

    @Test(
        "a descriptor is watched → readiness is reported until cancellation; a second watch of it → an error is thrown")
    @DBusActor
    func descriptors() async throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        let log = EventLog<String>()
        let watch = try EventLoop.shared.watch(descriptor, for: .readable) { events in
            log.record(String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self))
            #expect(events.contains(.readable))
        }
        #expect(throws: DBusError.self) { try EventLoop.shared.watch(descriptor, for: .readable) { _ in } }
        #expect(throws: DBusError.self) { try EventLoop.shared.watch(-1, for: .readable) { _ in } }
        try pipe.fileHandleForWriting.write(contentsOf: Data("one".utf8))
        #expect(try await log.next() == "one")
        watch.setInterest([])
        try pipe.fileHandleForWriting.write(contentsOf: Data("two".utf8))
        let turn = EventLog<Void>()
        EventLoop.shared.addTimer(after: .milliseconds(5)) { turn.record(()) }
        _ = try await turn.next()
        #expect(log.recorded.isEmpty)
        watch.setInterest(.readable)
        #expect(try await log.next() == "two")
        watch.cancel()
        try EventLoop.shared.watch(descriptor, for: .readable) { _ in }.cancel()
    }

    @Test("a watched descriptor does not support polling → a failure is reported, and the loop does not spin")
    @DBusActor
    func regularFile() async throws {
        let directory = TemporaryDirectory()
        let file = try OpenFile.create(directory.path + "/file", contents: "")
        let log = EventLog<DescriptorEvents>()
        let watch = try EventLoop.shared.watch(file.rawValue, for: .readable) { log.record($0) }
        #expect(try await log.next() == .failed)
        let turn = EventLog<Void>()
        EventLoop.shared.addTimer(after: .milliseconds(5)) { turn.record(()) }
        _ = try await turn.next()
        #expect(log.recorded.isEmpty)
        watch.cancel()
    }

    @Test("one descriptor is always readable → handlers scheduled after reading still run, each once")
    @DBusActor
    func afterReading() async throws {
        let log = EventLog<Int>()
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: [1])
        let turns = EventLog<Void>()
        let watch = try EventLoop.shared.watch(pipe.fileHandleForReading.fileDescriptor, for: .readable) { _ in
            turns.record(())
        }
        try await turns.next()
        EventLoop.shared.afterReading {
            log.record(1)
            EventLoop.shared.afterReading { log.record(2) }
        }
        #expect(log.recorded.isEmpty)
        #expect(try await log.next() == 1)
        #expect(try await log.next() == 2)
        watch.cancel()
        #expect(log.recorded.isEmpty)
    }
}
