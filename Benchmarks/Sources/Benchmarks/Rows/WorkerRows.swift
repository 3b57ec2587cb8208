internal import Foundation

/// What it costs that a plugin runs in a worker: the same section controllers inside the daemon and outside of it.
enum WorkerRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [("worker start", start), ("worker build", build), ("worker scroll", scroll)]
    }

    private static let sections = 10_000

    /// From the call that starts a process to the answer that its plugin is loaded.
    private static func start() -> Benchmark {
        let stage = WorkerStage(lists: [])
        var benchmark = Benchmark("worker start")
        let times = (0..<11).map { _ in
            let time = Runner.elapsed { stage.callManager("LoadPlugin", "outside") }
            stage.callManager("UnloadPlugin", "outside")
            return Double(time) / 1e6
        }
        benchmark.facts.append(
            Benchmark.Fact(
                row: "`LoadPlugin` that starts a worker, round trip", value: times.sorted()[times.count / 2],
                unit: "ms", limit: 50, note: "median of \(times.count)"))
        benchmark.addElapsed("LoadPlugin that starts a worker", iterations: 1, memoryOf: stage.bus.daemonMemory) {
            defer { stage.callManager("UnloadPlugin", "outside") }
            return Runner.elapsed { stage.callManager("LoadPlugin", "outside") }
        }
        benchmark.addElapsed("empty round trip", iterations: 300, memoryOf: stage.bus.serviceMemory) {
            stage.elapsedEmpty()
        }
        return benchmark
    }

    /// The whole list is new each time, so every section controller is made, told of its object, and asked for its items.
    private static func build() -> Benchmark {
        let stage = WorkerStage(lists: ["inside", "outside"])
        let clock = stage.clock(withWorkerOf: "outside")
        var benchmark = Benchmark("worker build")
        for place in ["inside", "outside"] {
            let adapter = BareAdapter(stage.bus, configured: place)
            let empty = { _ = stage.bus.client.call(adapter.performUpdates(0) { _ in [] }) }
            let call = adapter.performUpdates(sections) { [("title", "row \($0)")] }
            benchmark.addElapsed("\(sections) sections \(place)", iterations: 1, memoryOf: stage.memory(of: place)) {
                empty()
                return Runner.elapsed { stage.bus.client.call(call.copy) }
            }
            benchmark.add(
                "\(sections) sections \(place), CPU of all", clock: clock, memoryOf: stage.memory(of: place),
                prepare: empty
            ) {
                stage.bus.client.call(call.copy)
                return sections
            }
        }
        benchmark.expect(
            "10,000 sections of a binding section controller in a worker, round trip", "\(sections) sections outside",
            atMost: 2, times: "\(sections) sections inside")
        return benchmark
    }

    /// Every step shows twenty other cells and releases twenty.
    private static func scroll() -> Benchmark {
        let stage = WorkerStage(lists: ["inside", "outside"])
        var benchmark = Benchmark("worker scroll")
        var step = 0
        var scrolls: [String: () -> Int] = [:]
        for place in ["inside", "outside"] {
            let adapter = BareAdapter(stage.bus, configured: place)
            stage.bus.client.call(adapter.performUpdates(sections) { [("title", "row \($0)")] })
            let view = adapter.openView(by: stage.bus.client)
            scrolls[place] = {
                step += 1
                // Beyond the buffer on both sides, so that all cells are new.
                let call = adapter.setViewport(view, y: Double(step % 400) * 1000, height: 840)
                var sequence: UInt64 = 0
                let time = Runner.elapsed {
                    var reader = stage.bus.client.call(call).reader
                    sequence = reader.uint64()
                }
                stage.bus.client.call(adapter.acknowledge(view, sequence))
                stage.bus.client.drop()
                return time
            }
            if let scroll = scrolls[place] {
                benchmark.addElapsed(
                    "20 new cells \(place)", iterations: 300, memoryOf: stage.memory(of: place), scroll)
            }
        }
        if let scroll = scrolls["inside"] {
            benchmark.addElapsed(
                "20 new cells inside and an empty round trip", iterations: 300, memoryOf: stage.memory(of: "inside")
            ) {
                scroll() + stage.elapsedEmpty()
            }
        }
        benchmark.addElapsed("empty round trip", iterations: 300, memoryOf: stage.bus.serviceMemory) {
            stage.elapsedEmpty()
        }
        benchmark.expect(
            "scroll step, 20 new cells of a section controller in a worker, round trip", "20 new cells outside",
            atMost: 1, times: "20 new cells inside and an empty round trip")
        return benchmark
    }
}
