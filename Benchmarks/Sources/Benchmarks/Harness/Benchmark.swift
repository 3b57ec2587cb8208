// SPDX-License-Identifier: Apache-2.0

/// Cases that are measured together. They take turns in random order, so that a disturbance affects all of them.
///
/// To add rows to the report, write a function that returns a `Benchmark` in a file in `Rows/`, and add it to
/// `Main.swift`.
struct Benchmark {
    /// A piece of work to measure.
    struct Case {
        let name: String
        /// The preparation, which runs once before each measurement and is not measured.
        let prepare: () -> Void
        /// The work. Its result is ignored, but keeps the compiler from leaving out the work.
        let work: () -> Int
        /// The number of times that one measurement executes the work. The figure is for one execution.
        let iterations: Int
        /// Returns the CPU time so far, in milliseconds, of the measured processes. If it is nil, `work` returns
        /// elapsed nanoseconds itself, and the median of the iterations is the figure.
        let clock: (() -> Double)?
        /// The process whose memory is measured.
        let process: MeasuredProcess
    }

    /// The maximum ratio of the times of two cases.
    struct Budget {
        let row: String
        let measured: String
        let baseline: String
        let limit: Double
    }

    let name: String
    var cases: [Case] = []
    var budgets: [Budget] = []
    /// The figures that are not times, such as bytes and counts.
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

    /// Adds a case.
    mutating func add(
        _ name: String, iterations: Int = 1, clock: @escaping () -> Double = Runner.cpuTime,
        memoryOf process: MeasuredProcess = .own, prepare: @escaping () -> Void = {}, _ work: @escaping () -> Int
    ) {
        cases.append(
            Case(name: name, prepare: prepare, work: work, iterations: iterations, clock: clock, process: process))
    }

    /// Adds a case in which `work` returns the elapsed nanoseconds from a call to its reply.
    ///
    /// The median of the iterations is one measurement, so that occasional disturbances by other programs do not
    /// count.
    mutating func addElapsed(
        _ name: String, iterations: Int, memoryOf process: MeasuredProcess = .own, _ work: @escaping () -> Int
    ) {
        cases.append(
            Case(name: name, prepare: {}, work: work, iterations: iterations, clock: nil, process: process))
    }

    /// Adds a case whose figure is the cost of `work` minus the cost of `other`, which does the same without the
    /// measured part.
    ///
    /// The two take turns, ten times each, and the median of the differences is one measurement. Comparing the
    /// medians of both would not show a small difference, because the times vary more than that.
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

    /// Adds a budget: one case may take at most `limit` times as long as another.
    mutating func expect(_ row: String, _ measured: String, atMost limit: Double, times baseline: String) {
        budgets.append(Budget(row: row, measured: measured, baseline: baseline, limit: limit))
    }
}
