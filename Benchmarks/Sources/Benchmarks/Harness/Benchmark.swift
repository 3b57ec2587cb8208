// SPDX-License-Identifier: Apache-2.0

/// Cases that are measured together: they take turns in random order, so that a disturbance affects all of them.
///
/// To add rows: write a function that makes a `Benchmark` in a file in `Rows/`, and name it in `Main.swift`.
struct Benchmark {
    /// One thing to measure.
    struct Case {
        let name: String
        /// Runs once before each measurement, not measured.
        let prepare: () -> Void
        /// The work; what it returns is thrown away, but the compiler does not know.
        let work: () -> Int
        /// How often the work is done in one measurement; the figure is for one time.
        let iterations: Int
        /// CPU time until now, in milliseconds, of the processes that count; nil = `work` answers elapsed nanoseconds
        /// itself, and the median of the iterations counts.
        let clock: (() -> Double)?
        /// Whose memory counts.
        let process: MeasuredProcess
    }

    /// A budget for the ratio of two cases.
    struct Budget {
        let row: String
        let measured: String
        let baseline: String
        let limit: Double
    }

    let name: String
    var cases: [Case] = []
    var budgets: [Budget] = []
    /// Figures that are no times: bytes, counts.
    var facts: [Fact] = []

    /// A figure with its budget.
    struct Fact {
        let row: String
        let value: Double
        let unit: String
        let limit: Double
        let note: String
    }

    init(_ name: String) { self.name = name }

    /// Adds something to measure.
    mutating func add(
        _ name: String, iterations: Int = 1, clock: @escaping () -> Double = Runner.cpuTime,
        memoryOf process: MeasuredProcess = .own, prepare: @escaping () -> Void = {}, _ work: @escaping () -> Int
    ) {
        cases.append(
            Case(name: name, prepare: prepare, work: work, iterations: iterations, clock: clock, process: process))
    }

    /// Adds a case in which a call is waited for: `work` returns the nanoseconds of real time from a call to its
    /// answer.
    ///
    /// The median of the iterations is one measurement: occasional disturbances by other programs do not count.
    mutating func addElapsed(
        _ name: String, iterations: Int, memoryOf process: MeasuredProcess = .own, _ work: @escaping () -> Int
    ) {
        cases.append(
            Case(name: name, prepare: {}, work: work, iterations: iterations, clock: nil, process: process))
    }

    /// Adds the difference between the cost of `work` and that of `other`, which does the same without the measured
    /// part.
    ///
    /// The two take turns, ten times each, and the median of the differences is one measurement: a difference is too
    /// small to be found by comparing the times of both, which vary more.
    mutating func addDifference(
        _ name: String, clock: @escaping () -> Double, memoryOf process: MeasuredProcess,
        of work: @escaping () -> Void, from other: @escaping () -> Void
    ) {
        let times = 10
        func time(_ body: () -> Void) -> Double {
            let start = clock()
            for _ in 0..<times { body() }
            return clock() - start
        }
        addElapsed(name, iterations: 60, memoryOf: process) {
            let (whole, part) = (time(work), time(other))
            return Int((whole - part) / Double(times) * 1e6)
        }
    }

    /// Adds the budget that one case takes at most `limit` times as long as another.
    mutating func expect(_ row: String, _ measured: String, atMost limit: Double, times baseline: String) {
        budgets.append(Budget(row: row, measured: measured, baseline: baseline, limit: limit))
    }
}
