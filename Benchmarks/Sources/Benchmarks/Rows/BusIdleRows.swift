// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The benchmark of an idle daemon, to which no client sends a call.
enum BusIdleRows {
    static var all: [(name: String, make: () -> Benchmark)] { [("idle", idle)] }

    private static let lists = 1_000
    private static let seconds = 10

    /// Measures how often threads of listd with 1,000 lists of ten objects wake up, and how often threads of a bare
    /// service do.
    private static func idle() -> Benchmark {
        let stage = BusStage(files: ["listd.conf": "AdaptersPerUser=\(lists + 1)\n"])
        for number in 0..<lists {
            let adapter = BareAdapter(stage, "list\(number)")
            stage.client.call(adapter.performUpdates(10) { [("title", "row \($0)")] })
        }
        stage.client.drop()
        // By then, listd has finished all work that follows from the calls.
        sleep(5)
        let (before, bareBefore) = (stage.daemonWakeUps, stage.serviceWakeUps)
        sleep(UInt32(seconds))
        let (after, bareAfter) = (stage.daemonWakeUps, stage.serviceWakeUps)
        var benchmark = Benchmark("idle")
        benchmark.facts.append(
            Benchmark.Fact(
                row: "wake-ups of listd with 1,000 idle lists", value: Double(after - before) / Double(seconds),
                unit: "a second", limit: 0,
                note: "a bare service: \(Double(bareAfter - bareBefore) / Double(seconds)) a second"))
        return benchmark
    }
}
