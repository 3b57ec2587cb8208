// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// The measured times of one case, either CPU times or elapsed times, and its memory use.
struct Measurement {
    let name: String
    /// The times in milliseconds, in ascending order.
    let times: [Double]
    let memory: MemoryUse

    var median: Double { times[times.count / 2] }

    /// The width of the middle half of the times, divided by the median.
    var spread: Double { (times[times.count * 3 / 4] - times[times.count / 4]) / max(median, 1e-9) }
}

/// A runner that measures the cases of a benchmark.
struct Runner {
    /// The number of measurements of each case.
    let repetitions: Int

    /// Returns the CPU time of this process, in milliseconds. On a shared machine it varies less than elapsed time.
    static func cpuTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    /// Returns the elapsed time in milliseconds, for work that several processes do at once.
    static func wallTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    /// Runs every case once to warm up and once to measure its memory, then measures the times of all cases in turns.
    func run(_ benchmark: Benchmark) -> [Measurement] {
        var times = [[Double]](repeating: [], count: benchmark.cases.count)
        for item in benchmark.cases { _ = measureTime(item) }
        let memory = benchmark.cases.map(measureMemory)
        for _ in 0..<repetitions {
            for position in benchmark.cases.indices.shuffled() {
                times[position].append(measureTime(benchmark.cases[position]))
            }
        }
        return benchmark.cases.indices.map {
            Measurement(name: benchmark.cases[$0].name, times: times[$0].sorted(), memory: memory[$0])
        }
    }

    private func measureMemory(_ item: Benchmark.Case) -> MemoryUse {
        item.prepare()
        return item.process.memory(times: item.iterations) {
            for _ in 0..<item.iterations { blackHole(item.work()) }
        }
    }

    private func measureTime(_ item: Benchmark.Case) -> Double {
        item.prepare()
        guard let clock = item.clock else {
            let times = (0..<item.iterations).map { _ in item.work() }.sorted()
            return Double(times[times.count / 2]) / 1e6
        }
        let start = clock()
        for _ in 0..<item.iterations { blackHole(item.work()) }
        return (clock() - start) / Double(item.iterations)
    }

    /// Returns the elapsed nanoseconds that `body` takes.
    static func elapsed(_ body: () -> Void) -> Int {
        let start = DispatchTime.now().uptimeNanoseconds
        body()
        return Int(DispatchTime.now().uptimeNanoseconds - start)
    }
}

/// Consumes a result, so that the optimiser cannot remove the work that calculates it.
@inline(never)
func blackHole(_ value: Int) { if value == Int.min { print(value) } }
