internal import Foundation

/// What it costs that nothing is lost, beside plain SQLite that writes and reads the same rows.
enum StoreRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [("store write", write), ("store memory", memory), ("store restore", restore)]
    }

    private static let calls = 500

    /// Eight callers, each of which changes one object after the other and waits for the answer: time on the wall, since they,
    /// the bus and listd work at once. What the store takes of it shows beside lists that live in memory, what the bus takes
    /// beside callers that are connected to listd itself.
    private static func write() -> Benchmark {
        let stage = BusStage(isStoring: true)
        let stored = Callers(8, on: stage, durability: "disk")
        let plain = PlainSQLite(copyOf: stage.stateDirectory, to: stage.directory.path + "/plain")
        let kept = Callers(8, on: stage, durability: "memory")
        let direct = Callers(8, on: stage, durability: "disk", isDirect: true)
        let bare = Callers(8, on: stage, durability: "memory", isBare: true)
        var benchmark = Benchmark("store write")
        for (name, callers) in [
            ("8 callers, durability disk", stored), ("8 callers, durability memory", kept),
            ("8 direct callers, durability disk", direct), ("8 callers, bare signal and answer", bare),
        ] {
            benchmark.add(name, clock: Runner.wallTime, memoryOf: stage.daemonMemory) { callers.call(calls) }
        }
        benchmark.add("a transaction for each object", clock: Runner.wallTime) { plain.writeChanges(calls * 8) }
        benchmark.expect(
            "\(calls * 8) `ApplyChanges` of one object by 8 callers, durability disk", "8 callers, durability disk",
            atMost: 2, times: "a transaction for each object")
        benchmark.expect(
            "\(calls * 8) `ApplyChanges` of one object by 8 callers on the direct socket, durability disk",
            "8 direct callers, durability disk", atMost: 2, times: "a transaction for each object")
        return benchmark
    }

    /// What lives in memory does not know that others are stored.
    private static func memory() -> Benchmark {
        let (storing, bare) = (BusStage(isStoring: true), BusStage())
        var benchmark = Benchmark("store memory")
        for (name, stage) in [("with a store", storing), ("without a store", bare)] {
            let callers = Callers(1, on: stage, durability: "memory")
            benchmark.add("ApplyChanges, memory, \(name)", clock: stage.clock, memoryOf: stage.daemonMemory) {
                callers.call(calls)
            }
        }
        benchmark.expect(
            "`ApplyChanges` of one object, durability memory, with a store", "ApplyChanges, memory, with a store",
            atMost: 1.1, times: "ApplyChanges, memory, without a store")
        return benchmark
    }

    /// From the start of the program to its name on the bus, with a million objects, beside reading their rows; then the first
    /// of them, or a screen of them.
    private static func restore() -> Benchmark {
        let stage = BusStage(isStoring: true)
        let adapter = BareAdapter(stage, "million", durability: "disk")
        for start in stride(from: 0, to: 1_000_000, by: 100_000) {
            stage.client.call(adapter.append(start..<start + 100_000))
        }
        stage.stop()
        let plain = PlainSQLite(copyOf: stage.stateDirectory, to: stage.directory.path + "/plain")
        var restored = 0.0
        var benchmark = Benchmark("store restore")
        benchmark.add("restore 1000000 objects", clock: { restored }, memoryOf: stage.daemonMemory) {
            restored += stage.restart()
            return 0
        }
        // A list has no engine before it is looked at; a view lays the list out as well.
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

/// Callers that each change objects of their own list, one after the other, and wait for each answer.
private final class Callers {
    /// A caller with its list.
    private struct Caller: @unchecked Sendable {
        // Used by one thread at a time: that which calls, while the others wait for it.
        let client: BareConnection
        let adapter: BareAdapter
        let isBare: Bool

        func call(_ count: Int, _ text: String) {
            for index in 0..<count {
                let change = adapter.change(index % 1000, text)
                client.call(isBare ? change.redirected(to: BusStage.bareName, "Signals") : change)
            }
        }
    }

    private let callers: [Caller]
    private var round = 0

    /// - Parameter isBare: whether the bare service is called instead of listd: it says what listd would, and does nothing.
    init(_ count: Int, on stage: BusStage, durability: String, isDirect: Bool = false, isBare: Bool = false) {
        callers = (0..<count).map { number in
            let name = "\(durability) \(isDirect ? "direct " : "")\(isBare ? "bare " : "")\(number)"
            let adapter = BareAdapter(stage, name, durability: durability)
            stage.client.call(adapter.performUpdates(1000) { [("title", "row \($0)")] })
            let client = isDirect ? BareConnection(direct: stage.directAddress) : BareConnection(stage.address)
            return Caller(client: client, adapter: adapter, isBare: isBare)
        }
        if isBare, let adapter = callers.first?.adapter {
            stage.setSignals([stage.signal(of: adapter.change(0, "step 1"))])
        }
    }

    /// Lets each of them change so many objects.
    func call(_ count: Int) -> Int {
        round += 1
        let text = "step \(round)"
        let done = DispatchGroup()
        for caller in callers {
            done.enter()
            Thread {
                caller.call(count, text)
                done.leave()
            }.start()
        }
        done.wait()
        return round
    }
}
