// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// One line of the report.
struct ReportLine {
    let row: String
    let measured: String
    let ratio: Double
    let unit: String
    let limit: Double
    let note: String

    var holds: Bool { ratio <= limit }
}

/// The output of all measurements, as a table or as a JSON object on each line.
struct Report {
    private var lines: [ReportLine] = []
    private var measurements: [(benchmark: String, measurement: Measurement)] = []

    var allHold: Bool { lines.allSatisfy(\.holds) }

    mutating func add(_ benchmark: Benchmark, _ results: [Measurement]) {
        let byName = Dictionary(results.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        measurements += results.map { (benchmark.name, $0) }
        for budget in benchmark.budgets {
            guard let measured = byName[budget.measured], let baseline = byName[budget.baseline] else {
                fatalError("\(benchmark.name): the budget “\(budget.row)” names a case that does not exist")
            }
            lines.append(
                ReportLine(
                    row: budget.row, measured: "\(timeText(measured.median)) / \(timeText(baseline.median))",
                    ratio: measured.median / baseline.median, unit: "×", limit: budget.limit, note: budget.baseline))
        }
        for fact in benchmark.facts {
            lines.append(
                ReportLine(
                    row: fact.row, measured: "", ratio: fact.value, unit: fact.unit, limit: fact.limit, note: fact.note)
            )
        }
    }

    func printTable() {
        print("| work | goal | measured | holds |\n|---|---|---|---|")
        for line in lines {
            let (limit, ratio) = ("≤ \(figureText(line.limit)) \(line.unit)", "\(figureText(line.ratio)) \(line.unit)")
            let (goal, measured) =
                line.measured.isEmpty
                ? (limit, line.note.isEmpty ? ratio : "\(ratio) (\(line.note))")
                : ("\(limit) \(line.note)", "\(ratio): \(line.measured)")
            print("| \(line.row) | \(goal) | \(measured) | \(line.holds ? "yes" : "**no**") |")
        }
        print("\n| benchmark | case | median | spread | allocations | peak memory |\n|---|---|---|---|---|---|")
        for (benchmark, item) in measurements {
            print(
                "| \(benchmark) | \(item.name) | \(timeText(item.median)) | \(Int(item.spread * 100)) % "
                    + "| \(item.memory.allocations.map(countText) ?? "–") | \(memoryText(item.memory)) |")
        }
        print(
            "\nAllocations: the number of heap allocations for one execution of the work, if this process does the work. "
                + "Peak memory: with a +, the growth of this process's resident memory; without, the resident memory "
                + "of the other process that does the work."
        )
    }

    func printJSON() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func printLine(_ object: some Encodable) throws {
            print(String(decoding: try encoder.encode(object), as: UTF8.self))
        }
        for (benchmark, item) in measurements {
            try printLine(
                Figure(
                    benchmark: benchmark, name: item.name, medianMilliseconds: item.median, spread: item.spread,
                    repetitions: item.times.count, allocations: item.memory.allocations,
                    peakBytes: item.memory.peak, peakIsGrowth: item.memory.isGrowth))
        }
        for line in lines {
            try printLine(
                Verdict(
                    row: line.row, value: line.ratio, unit: line.unit, budget: line.limit, holds: line.holds,
                    comparedWith: line.note))
        }
    }

    private struct Figure: Encodable {
        let benchmark: String
        let name: String
        let medianMilliseconds: Double
        let spread: Double
        let repetitions: Int
        let allocations: Double?
        let peakBytes: Int?
        let peakIsGrowth: Bool
    }

    private struct Verdict: Encodable {
        let row: String
        let value: Double
        let unit: String
        let budget: Double
        let holds: Bool
        let comparedWith: String
    }

    private func figureText(_ number: Double) -> String { String(format: "%.2f", number) }

    private func countText(_ number: Double) -> String { String(format: number < 10 ? "%.1f" : "%.0f", number) }

    private func memoryText(_ use: MemoryUse) -> String {
        guard let peak = use.peak else { return "–" }
        return String(format: use.isGrowth ? "+%.1f MiB" : "%.1f MiB", Double(peak) / 1_048_576)
    }

    private func timeText(_ milliseconds: Double) -> String {
        milliseconds < 0.1 ? String(format: "%.2f µs", milliseconds * 1000) : String(format: "%.3f ms", milliseconds)
    }
}
