// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Benchmarks of derived lists on a bus: the cost of a change that a derived list follows, and a filter whose text is
/// being typed while other lists are used.
enum BusDerivedRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [("followed change", changeBenchmark), ("search as one types", typingBenchmark)]
    }

    private static let million = 1_000_000

    private static func fill(_ adapter: BareAdapter) {
        for start in stride(from: 0, to: million, by: 50_000) {
            adapter.stage.client.call(adapter.appendObjects(start..<start + 50_000))
        }
    }

    private static func makeFollower(on stage: BusStage, of base: String, argument: String) -> BareAdapter {
        let follower = BareAdapter(stage, "follower", [("source", "list:\(base)?\(argument)")])
        waitForObject(of: follower)
        return follower
    }

    /// Waits until the list has been filled, that is, until its revision is no longer 0.
    private static func waitForObject(of follower: BareAdapter) {
        while true {
            var reader = follower.stage.client.call(follower.setArgument("contains=row")).reader
            if reader.uint64() > 0 { return }
        }
    }

    /// Measures the CPU time of listd for a change in a list without a derived list, and in a list with one.
    private static func changeBenchmark() -> Benchmark {
        let stage = BusStage()
        let (alone, followed) = (BareAdapter(stage, "alone"), BareAdapter(stage, "followed"))
        for list in [alone, followed] { fill(list) }
        let follower = makeFollower(on: stage, of: "followed", argument: "contains=row")
        stage.client.call(follower.setArgument("contains=row&sort=title"))
        var benchmark = Benchmark("followed change")
        let clock = { [stage] in stage.daemon.time }
        var step = 0
        for (name, list) in [("a change, not followed", alone), ("a change, followed", followed)] {
            benchmark.add(name, iterations: 300, clock: clock, memoryOf: stage.daemonMemory) {
                step += 1
                stage.client.call(list.changeObject((step &* 7919) % million, title: "row \(step)"))
                return step
            }
        }
        benchmark.expect(
            "one object of 1,000,000 changes in a list that is followed, CPU of listd", "a change, followed", atMost: 3,
            times: "a change, not followed")
        return benchmark
    }

    /// Measures the elapsed time of a filter's text that grows by a letter five times, from the call to its reply,
    /// and the time of calls of another list in the meantime.
    private static func typingBenchmark() -> Benchmark {
        let stage = BusStage()
        let base = BareAdapter(stage, "base")
        fill(base)
        let other = BareAdapter(stage, "other")
        stage.client.call(other.performUpdates(objectCount: 1000) { _ in [("title", "first")] })
        let follower = makeFollower(on: stage, of: "base", argument: "contains=row")
        var benchmark = Benchmark("search as one types")
        let letters = ["r", "row%20", "row%201", "row%2012", "row%20123"]
        let victim = Victim(other)
        var times = [[Double]](repeating: [], count: letters.count)
        for _ in 0..<5 {
            stage.client.call(follower.setArgument(""))
            for (index, text) in letters.enumerated() {
                let start = Runner.wallTime()
                stage.client.call(follower.setArgument("contains=\(text)"))
                times[index].append(Runner.wallTime() - start)
            }
        }
        let waits = victim.stop()
        for (index, text) in letters.enumerated() {
            benchmark.facts.append(
                Benchmark.Fact(
                    row: "`SetSourceArgument` contains=\(text) over 1,000,000 objects, round trip",
                    value: times[index].sorted()[2], unit: "ms", limit: 2000, note: "median of 5"))
        }
        benchmark.facts.append(
            Benchmark.Fact(
                row: "calls of another list meanwhile, p99", value: waits[waits.count * 99 / 100], unit: "ms", limit: 5,
                note: "\(waits.count) calls"))
        return benchmark
    }
}

/// A client that reads one object of another list 500 times a second, and records how long each call takes.
private final class Victim: @unchecked Sendable {
    // Only the thread uses this, from its start until it has ended.
    private var waits: [Double] = []
    private let list: BareAdapter
    private let client: BareConnection
    private let mayGoOn = NSLock()
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ list: BareAdapter) {
        self.list = list
        client = BareConnection(list.stage.address)
        mayGoOn.lock()
        Thread { [self] in run() }.start()
    }

    private func run() {
        while !mayGoOn.try() {
            let start = Runner.wallTime()
            client.call(list.findObject(7))
            waits.append(Runner.wallTime() - start)
            usleep(2000)
        }
        hasEnded.signal()
    }

    /// Ends the client. Returns the times of its calls in ascending order.
    func stop() -> [Double] {
        mayGoOn.unlock()
        hasEnded.wait()
        return waits.sorted()
    }
}
