// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The program `Benchmarks [--json] [--repetitions N] [--only TEXT] …`. It measures listd, compares it with other
/// implementations, and reports which budgets are kept.
///
/// `Benchmarks --curves DIRECTORY [--largest N] [--only TEXT] …` draws curves of how costs grow instead.
@main
struct Main {
    /// All benchmarks by name. Creating a benchmark prepares its data.
    static var benchmarks: [(name: String, make: () -> Benchmark)] {
        DiffRows.all + LayoutRows.all + AdapterRows.all + ViewRows.all + ObjectRows.all + [
            ("tree", TreeRows.deltaBenchmark), ("memory", TreeRows.memoryBenchmark),
        ]
            + DerivedRows.all + BusRows.all + BusIdleRows.all + BusSearchRows.all + BusDerivedRows.all + StoreRows.all
            + WorkerRows.all
    }

    static func main() throws {
        var arguments = CommandLine.arguments.dropFirst()
        var (isJSON, repetitions, only) = (false, 11, [String]())
        var (curves, largest): (String?, Int) = (nil, .max)
        while let argument = arguments.popFirst() {
            switch argument {
            case "--json": isJSON = true
            case "--repetitions": repetitions = arguments.popFirst().flatMap { Int($0) } ?? repetitions
            case "--only": only += arguments.popFirst().map { [$0] } ?? []
            case "--curves": curves = arguments.popFirst() ?? "docs/curves"
            case "--largest": largest = arguments.popFirst().flatMap { Int($0) } ?? largest
            case "--resident":
                return Resident.print(
                    arguments.popFirst() ?? "", count: arguments.popFirst().flatMap { Int($0) } ?? 1_000_000)
            case "--bus-peer": return BusPeer.run(Array(arguments))
            default:
                print(
                    "usage: Benchmarks [--json] [--repetitions N] [--only NAME]… | --curves DIRECTORY [--largest N] …")
                exit(2)
            }
        }
        if let curves { return try Curves.draw(into: curves, only: only, upTo: largest) }
        var report = Report()
        for (name, make) in benchmarks where only.isEmpty || only.contains(where: { name.contains($0) }) {
            let benchmark = make()
            report.add(benchmark, Runner(repetitions: max(9, repetitions)).run(benchmark))
        }
        if isJSON { try report.printJSON() } else { report.printTable() }
    }
}
