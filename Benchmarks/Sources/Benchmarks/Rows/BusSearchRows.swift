// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The benchmark of how long other calls take while a client searches a long list.
enum BusSearchRows {
    static var all: [(name: String, make: () -> Benchmark)] { [("search", searchBenchmark)] }

    private static let count = 1_000_000

    private static func searchBenchmark() -> Benchmark {
        let stage = BusStage()
        let (list, other) = (BareAdapter(stage, "list"), BareAdapter(stage, "other"))
        for start in stride(from: 0, to: count, by: 50_000) {
            stage.client.call(list.appendObjects(start..<start + 50_000))
        }
        stage.client.call(other.performUpdates(objectCount: 1000) { _ in [("title", "first")] })
        let searcher = BareConnection(stage.address)
        var benchmark = Benchmark("search")
        benchmark.addElapsed("Search of \(count), nothing found", iterations: 1, memoryOf: stage.daemonMemory) {
            Runner.elapsed { searcher.call(list.search("nowhere")) }
        }
        var step = 0
        let calls: [(String, () -> BareMessage)] = [
            ("FindObject of the same list", { list.findObject(step * 7919 % count) }),
            (
                "ApplyChanges of one object of the same list",
                { list.changeObject(step * 7919 % count, title: "step \(step)") }
            ),
            ("FindObject of another list", { other.findObject(step % 1000) }),
        ]
        for (name, call) in calls {
            for isSearching in [false, true] {
                let waits = waits(stage, searching: isSearching ? (searcher, list) : nil) {
                    step += 1
                    return call()
                }
                benchmark.facts.append(
                    Benchmark.Fact(
                        row: name + (isSearching ? " while \(count) objects are searched, p99" : ", p99"),
                        value: waits[waits.count * 99 / 100], unit: "ms", limit: 5,
                        note: "round trips, one after the other; longest \(waits[waits.count - 1]) ms"))
            }
        }
        return benchmark
    }

    /// Returns the durations in milliseconds, in ascending order, of the calls that are made during ten searches.
    private static func waits(
        _ stage: BusStage, searching: (connection: BareConnection, list: BareAdapter)?, _ call: () -> BareMessage
    ) -> [Double] {
        var waits: [Double] = []
        func recordCall() {
            let message = call()
            waits.append(Double(Runner.elapsed { stage.client.call(message) }) / 1e6)
        }
        guard let searching else {
            for _ in 0..<2000 { recordCall() }
            return waits.sorted()
        }
        for _ in 0..<10 {
            searching.connection.discardReceivedMessages()
            searching.connection.send(searching.list.search("nowhere"))
            var isAnswered = false
            while !isAnswered {
                recordCall()
                while let message = searching.connection.nextMessage(timeout: 0) {
                    isAnswered = isAnswered || !message.isSignal
                }
            }
        }
        return waits.sorted()
    }
}
