// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The benchmark of an idle daemon, to which no client sends a call.
enum BusIdleRows {
    static var all: [(name: String, make: () -> Benchmark)] { [("idle", idleBenchmark)] }

    private static let lists = 1_000
    private static let seconds = 10

    /// Measures how often threads of listd with 1,000 lists of ten objects wake up, and how often threads of a bare
    /// service do.
    private static func idleBenchmark() -> Benchmark {
        let stage = BusStage(files: ["listd.conf": "AdaptersPerUser=\(lists + 1)\n"])
        for number in 0..<lists {
            let adapter = BareAdapter(stage, "list\(number)")
            stage.client.call(adapter.performUpdates(objectCount: 10) { [("title", "row \($0)")] })
        }
        stage.client.discardReceivedMessages()
        // By then, listd has finished all work that follows from the calls, and Dispatch has ended its idle threads.
        sleep(15)
        let (before, bareBefore) = (stage.daemonSleeps, stage.serviceSleeps)
        sleep(UInt32(seconds))
        let wakeUps = countWakeUps(from: before, to: stage.daemonSleeps)
        let bareWakeUps = countWakeUps(from: bareBefore, to: stage.serviceSleeps)
        var benchmark = Benchmark("idle")
        benchmark.facts.append(
            Benchmark.Fact(
                row: "wake-ups of listd with 1,000 idle lists", value: Double(wakeUps) / Double(seconds),
                unit: "a second", limit: 0,
                note: "a bare service: \(Double(bareWakeUps) / Double(seconds)) a second"))
        return benchmark
    }

    /// How often threads woke up between two counts. The end of a thread counts as one wake-up.
    private static func countWakeUps(from before: [String: Int], to after: [String: Int]) -> Int {
        let awake = after.reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
        return awake + before.keys.count { after[$0] == nil }
    }
}
