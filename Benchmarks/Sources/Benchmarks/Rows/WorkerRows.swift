// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Benchmarks of a plugin in a worker, compared with the same section controllers inside the daemon.
enum WorkerRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [("worker start", startBenchmark), ("worker build", buildBenchmark), ("worker scroll", scrollBenchmark)]
    }

    private static let sections = 10_000

    /// Measures the time from the call that starts a worker to the reply that its plugin is loaded.
    private static func startBenchmark() -> Benchmark {
        let stage = WorkerStage(lists: [])
        var benchmark = Benchmark("worker start")
        let times = (0..<11).map { _ in
            let time = Runner.elapsed { stage.callManager("LoadPlugin", argument: "outside") }
            stage.callManager("UnloadPlugin", argument: "outside")
            return Double(time) / 1e6
        }
        benchmark.facts.append(
            Benchmark.Fact(
                row: "`LoadPlugin` that starts a worker, round trip", value: times.sorted()[times.count / 2],
                unit: "ms", limit: 50, note: "median of \(times.count)"))
        benchmark.addElapsed("LoadPlugin that starts a worker", iterations: 1, memoryOf: stage.bus.daemonMemory) {
            defer { stage.callManager("UnloadPlugin", argument: "outside") }
            return Runner.elapsed { stage.callManager("LoadPlugin", argument: "outside") }
        }
        stage.bus.addEmptyRoundTrip(to: &benchmark)
        return benchmark
    }

    /// Measures an update with a wholly new list, so that every section controller is created, gets its object, and
    /// makes its items.
    private static func buildBenchmark() -> Benchmark {
        let stage = WorkerStage(lists: ["inside", "outside"])
        let clock = stage.clock(withWorkerOf: "outside")
        var benchmark = Benchmark("worker build")
        for place in ["inside", "outside"] {
            let adapter = BareAdapter(stage.bus, configured: place)
            let empty = { _ = stage.bus.client.call(adapter.performUpdates(objectCount: 0) { _ in [] }) }
            let call = adapter.performUpdates(objectCount: sections) { [("title", "row \($0)")] }
            benchmark.addElapsed(
                "\(sections) sections \(place)", iterations: 1, memoryOf: stage.measuredProcess(of: place)
            ) {
                empty()
                return Runner.elapsed { stage.bus.client.call(call.copy) }
            }
            benchmark.add(
                "\(sections) sections \(place), CPU of all", clock: clock, memoryOf: stage.measuredProcess(of: place),
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

    /// Measures a step of scrolling that shows twenty other cells and releases twenty. The budget is for the number
    /// of messages between listd and the worker; the times are shown as well.
    private static func scrollBenchmark() -> Benchmark {
        let stage = WorkerStage(lists: ["inside", "outside"])
        var benchmark = Benchmark("worker scroll")
        let scrolls = ["inside", "outside"].map { WorkerScroll(stage, list: $0, sections: sections) }
        for scroll in scrolls {
            benchmark.addElapsed(
                "20 new cells \(scroll.list)", iterations: 300, memoryOf: stage.measuredProcess(of: scroll.list),
                scroll.step)
        }
        stage.bus.addEmptyRoundTrip(to: &benchmark)
        benchmark.expect(
            "scroll step, 20 new cells, in a worker", "20 new cells outside", atMost: 1.45, times: "20 new cells inside"
        )
        benchmark.facts.append(
            Benchmark.Fact(
                row: "scroll step, 20 new cells of a section controller in a worker",
                value: Double((0..<20).map { _ in scrolls[1].countMessagesOfStep() }.max() ?? 0) / 2,
                unit: "round trips", limit: 1, note: "between listd and the worker"))
        return benchmark
    }
}
