// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Benchmarks of the store, compared with plain SQLite that writes and reads the same rows.
enum StoreRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [("store write", writeBenchmark), ("store memory", memoryBenchmark), ("store restore", restoreBenchmark)]
    }

    private static let calls = 500
    /// The number of calls in flight of a caller that does not wait for each reply. The contract's limit is 256.
    private static let inFlight = 32

    /// Measures eight callers, each of which changes one object after the other. The time is elapsed time, because
    /// callers, bus and listd work at once.
    ///
    /// Callers that wait for each reply show the cost of a round trip. Callers with 32 calls in flight show how many
    /// calls listd can handle. Lists in memory show the share of the store; callers with a direct connection to listd
    /// show the share of the bus.
    ///
    /// A bare service that commits together what arrives together shows what the same calls cost without a list engine.
    private static func writeBenchmark() -> Benchmark {
        let stage = BusStage(isStoring: true)
        let stored = Callers(8, on: stage, durability: "disk")
        let plain = PlainSQLite(copyOf: stage.stateDirectory, to: stage.directory.path + "/plain")
        stage.startStoringService()
        let kept = Callers(8, on: stage, durability: "memory")
        let direct = Callers(8, on: stage, durability: "disk", isDirect: true)
        let bare = Callers(8, on: stage, durability: "memory", service: BusStage.bareName)
        let storing = Callers(8, on: stage, durability: "memory", service: BusStage.storingName)
        let ahead = Callers(8, on: stage, durability: "disk", inFlight: inFlight)
        let directAhead = Callers(8, on: stage, durability: "disk", isDirect: true, inFlight: inFlight)
        let bareAhead = Callers(8, on: stage, durability: "memory", service: BusStage.bareName, inFlight: inFlight)
        var benchmark = Benchmark("store write")
        for (name, callers) in [
            ("8 callers, durability disk", stored), ("8 callers, durability memory", kept),
            ("8 direct callers, durability disk", direct), ("8 callers, bare signal and answer", bare),
            ("8 callers, bare service with SQLite", storing),
            ("8 callers, \(inFlight) calls in flight, disk", ahead),
            ("8 direct callers, \(inFlight) calls in flight, disk", directAhead),
            ("8 callers, \(inFlight) calls in flight, bare", bareAhead),
        ] {
            benchmark.add(name, clock: Runner.wallTime, memoryOf: stage.daemonMemory) { callers.changeObjects(calls) }
        }
        benchmark.add("a transaction for each object", clock: Runner.wallTime) { plain.writeChanges(calls * 8) }
        benchmark.expect(
            "\(calls * 8) `ApplyChanges` of one object by 8 callers, durability disk", "8 callers, durability disk",
            atMost: 1.8, times: "8 callers, bare service with SQLite")
        for (callers, measured) in [
            ("8 callers", "8 callers, durability disk"),
            ("8 callers on the direct socket", "8 direct callers, durability disk"),
            ("8 callers with \(inFlight) calls in flight", "8 callers, \(inFlight) calls in flight, disk"),
            (
                "8 callers on the direct socket with \(inFlight) calls in flight",
                "8 direct callers, \(inFlight) calls in flight, disk"
            ),
        ] {
            benchmark.expect(
                "\(calls * 8) `ApplyChanges` of one object by \(callers), durability disk", measured, atMost: 2,
                times: "a transaction for each object")
        }
        return benchmark
    }

    /// Measures lists in memory while other lists are stored, which must not affect them.
    private static func memoryBenchmark() -> Benchmark {
        let (storing, bare) = (BusStage(isStoring: true), BusStage())
        var benchmark = Benchmark("store memory")
        for (name, stage) in [("with a store", storing), ("without a store", bare)] {
            let callers = Callers(1, on: stage, durability: "memory")
            benchmark.add("ApplyChanges, memory, \(name)", clock: stage.clock, memoryOf: stage.daemonMemory) {
                callers.changeObjects(calls)
            }
        }
        benchmark.expect(
            "`ApplyChanges` of one object, durability memory, with a store", "ApplyChanges, memory, with a store",
            atMost: 1.1, times: "ApplyChanges, memory, without a store")
        return benchmark
    }

    /// Measures the start of listd with a million stored objects until it owns its bus name, compared with reading
    /// the rows; then the first read of an object, or of a screen.
    private static func restoreBenchmark() -> Benchmark {
        let stage = BusStage(isStoring: true)
        let adapter = BareAdapter(stage, "million", durability: "disk")
        for start in stride(from: 0, to: 1_000_000, by: 100_000) {
            stage.client.call(adapter.appendObjects(start..<start + 100_000))
        }
        stage.stop()
        let plain = PlainSQLite(copyOf: stage.stateDirectory, to: stage.directory.path + "/plain")
        var restored = 0.0
        var benchmark = Benchmark("store restore")
        benchmark.add("restore 1000000 objects", clock: { restored }, memoryOf: stage.daemonMemory) {
            restored += stage.restart()
            return 0
        }
        // The engine of a list is created at the first access; a view also needs the layout.
        benchmark.add(
            "first look at 1000000 objects", clock: { stage.daemon.time }, memoryOf: stage.daemonMemory,
            prepare: { _ = stage.restart() }
        ) {
            stage.client.call(adapter.findObject(7))
            return 0
        }
        benchmark.add(
            "first look through a view", clock: { stage.daemon.time }, memoryOf: stage.daemonMemory,
            prepare: { _ = stage.restart() }
        ) {
            let view = adapter.openView(by: stage.client)
            stage.client.call(adapter.setViewport(view, y: 0, height: 640))
            return 0
        }
        benchmark.add("read 1000000 rows") { plain.readObjects() }
        benchmark.expect(
            "start with 1,000,000 stored objects", "restore 1000000 objects", atMost: 3, times: "read 1000000 rows")
        benchmark.expect(
            "first look at 1,000,000 objects after the start", "first look at 1000000 objects", atMost: 3,
            times: "read 1000000 rows")
        return benchmark
    }
}

/// Callers, each of which changes the objects of its own list one after the other.
private final class Callers {
    /// A caller with its list.
    private struct Caller: @unchecked Sendable {
        // Used by one thread at a time: by the caller's thread, while the main thread waits for all of them.
        let client: BareConnection
        let adapter: BareAdapter
        /// The name of the service that is called instead of listd.
        let service: String?
        let inFlight: Int

        func changeObjects(_ count: Int, title: String) {
            for start in stride(from: 0, to: count, by: inFlight) {
                client.callAll((start..<min(start + inFlight, count)).map { changeCall($0, title: title) })
            }
        }

        private func changeCall(_ index: Int, title: String) -> BareMessage {
            let change = adapter.changeObject(index % 1000, title: title)
            return service.map { change.redirected(to: $0, method: "Signals") } ?? change
        }
    }

    private let callers: [Caller]
    private var round = 0

    /// - Parameters:
    ///   - service: the bare service that is called instead of listd. It sends the same messages.
    ///   - inFlight: the number of calls that each caller sends before it waits for their replies.
    init(
        _ count: Int, on stage: BusStage, durability: String, isDirect: Bool = false, service: String? = nil,
        inFlight: Int = 1
    ) {
        callers = (0..<count).map { number in
            let name = "\(durability) \(isDirect ? "direct " : "")\(service ?? "") \(inFlight) \(number)"
            let adapter = BareAdapter(stage, name, durability: durability)
            stage.client.call(adapter.performUpdates(objectCount: 1000) { [("title", "row \($0)")] })
            let client = isDirect ? BareConnection(direct: stage.directAddress) : BareConnection(stage.address)
            return Caller(client: client, adapter: adapter, service: service, inFlight: inFlight)
        }
        if let service, let adapter = callers.first?.adapter {
            stage.setSignals([stage.signal(causedBy: adapter.changeObject(0, title: "step 1"))], of: service)
        }
    }

    /// Lets each caller change the given number of objects, and waits for all callers.
    func changeObjects(_ count: Int) -> Int {
        round += 1
        let text = "step \(round)"
        let done = DispatchGroup()
        for caller in callers {
            done.enter()
            Thread {
                caller.changeObjects(count, title: text)
                done.leave()
            }.start()
        }
        done.wait()
        return round
    }
}
