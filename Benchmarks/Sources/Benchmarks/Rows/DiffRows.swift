// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// Benchmarks of the diff, compared with other implementations on the same identifiers.
enum DiffRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [
            ("diff 100k churn", churnBenchmark), ("diff 1M", millionIDsBenchmark),
            ("diff 100k unchanged", unchangedBenchmark), ("diff 100k appended", appendedBenchmark),
            ("diff 100k reversed", reversedBenchmark), ("diff 100k all new", allNewBenchmark),
            ("diff 5k", smallListsBenchmark), ("diff elements", elementsBenchmark),
        ]
    }

    private static func churnBenchmark() -> Benchmark {
        let lists = Lists.churn(count: 100_000, deletes: 10_000, inserts: 10_000, shuffled: 2_000)
        var benchmark = Benchmark("diff 100k churn")
        let row = "diff, 100,000 String ids, 10 % deleted, 10 % inserted, 2,000 shuffled"
        addDiff(of: lists, to: &benchmark)
        addDictionary(of: lists, to: &benchmark)
        addPlainHeckel(of: lists, to: &benchmark)
        benchmark.expect(row, "diff", atMost: 0.6, times: "SipHash pass")
        benchmark.expect(row, "diff", atMost: 0.2, times: "Dictionary")
        benchmark.expect("minimal moves on top", "diff, minimal moves", atMost: 1.3, times: "diff")
        benchmark.expect("diff against a plain port of IGListDiff", "diff", atMost: 0.1, times: "plain IGListDiff")
        return benchmark
    }

    private static func millionIDsBenchmark() -> Benchmark {
        let lists = Lists.churn(count: 1_000_000, deletes: 10_000, inserts: 10_000, shuffled: 0)
        var benchmark = Benchmark("diff 1M")
        addDiff(of: lists, to: &benchmark)
        benchmark.expect(
            "diff, 1,000,000 String ids, 1 % deleted and inserted", "diff", atMost: 0.35, times: "SipHash pass")
        return benchmark
    }

    private static func makeBenchmark(_ name: String, row: String, limit: Double, _ lists: Lists) -> Benchmark {
        var benchmark = Benchmark(name)
        addDiff(of: lists, to: &benchmark)
        benchmark.expect(row, "diff", atMost: limit, times: "SipHash pass")
        return benchmark
    }

    private static func unchangedBenchmark() -> Benchmark {
        let numbers = Array(0..<100_000)
        return makeBenchmark(
            "diff 100k unchanged", row: "diff, 100,000, nothing changed", limit: 0.25,
            Lists(old: numbers, new: numbers))
    }

    private static func appendedBenchmark() -> Benchmark {
        let lists = Lists(old: Array(0..<100_000), new: Array(0..<100_100))
        return makeBenchmark("diff 100k appended", row: "diff, 100,000, 100 appended", limit: 0.25, lists)
    }

    private static func reversedBenchmark() -> Benchmark {
        let numbers = Array(0..<100_000)
        let lists = Lists(old: numbers, new: Array(numbers.reversed()))
        return makeBenchmark("diff 100k reversed", row: "diff, 100,000 reversed", limit: 0.8, lists)
    }

    private static func allNewBenchmark() -> Benchmark {
        let lists = Lists(old: Array(0..<100_000), new: Array(200_000..<300_000))
        return makeBenchmark("diff 100k all new", row: "diff, 100,000 all new", limit: 0.8, lists)
    }

    /// Measures lists that are small enough for Myers' algorithm.
    private static func smallListsBenchmark() -> Benchmark {
        let lists = Lists.churn(count: 5_000, deletes: 500, inserts: 500, shuffled: 200)
        var benchmark = Benchmark("diff 5k")
        addDiff(of: lists, to: &benchmark)
        addPlainHeckel(of: lists, to: &benchmark)
        let (old, new) = (Lists.identifiers(lists.old), Lists.identifiers(lists.new))
        benchmark.add("CollectionDifference") { new.difference(from: old).count }
        benchmark.expect(
            "diff, 5,000, against `CollectionDifference`", "diff", atMost: 0.01, times: "CollectionDifference")
        return benchmark
    }

    /// Measures the generic diff function, as a program that uses ListKit alone calls it.
    private static func elementsBenchmark() -> Benchmark {
        let lists = Lists.churn(count: 100_000, deletes: 10_000, inserts: 10_000, shuffled: 2_000)
        var benchmark = Benchmark("diff elements")
        let (old, new) = (Lists.identifiers(lists.old), Lists.identifiers(lists.new))
        addPlainHeckel(of: lists, to: &benchmark)
        benchmark.add("diff of Strings") { ListDiff.between(old, new).changeCount }
        benchmark.expect(
            "diff of 100,000 Swift Strings against a plain port of IGListDiff", "diff of Strings", atMost: 0.35,
            times: "plain IGListDiff")
        addStructDiff(of: lists, named: "churn", to: &benchmark, atMost: 1.15)
        let all = Array(0..<100_000)
        addStructDiff(of: Lists(old: all, new: all), named: "unchanged", to: &benchmark, atMost: 0.15)
        addStructDiff(
            of: Lists(old: all, new: Array(0..<100_100)), named: "100 appended", to: &benchmark, atMost: 0.15)
        addStructDiff(of: Lists(old: all, new: [100_000] + all), named: "one in front", to: &benchmark, atMost: 0.15)
        var moved = all
        moved.insert(moved.remove(at: 70_000), at: 20_000)
        addStructDiff(of: Lists(old: all, new: moved), named: "one moved", to: &benchmark, atMost: 0.15)
        benchmark.add("hashing all ids once each") {
            old.reduce(0) { $0 ^ $1.hashValue } ^ new.reduce(0) { $0 ^ $1.hashValue }
        }
        return benchmark
    }

    private struct Row: ListDiffable, Equatable, Sendable {
        let id: String
        let version: Int
        var diffIdentifier: String { id }
    }

    /// Adds the diff of two lists of structs, which may take at most `limit` times as long as hashing all ids. The
    /// old and the new list have separate copies of the identifiers, as from two decoders.
    private static func addStructDiff(
        of lists: Lists, named name: String, to benchmark: inout Benchmark, atMost limit: Double
    ) {
        let old = Lists.identifiers(lists.old).map { Row(id: $0, version: 0) }
        let new = Lists.identifiers(lists.new).map { Row(id: $0, version: 0) }
        benchmark.add("diff of structs, \(name)") { ListDiff.between(old, new).changeCount }
        benchmark.expect(
            "diff of 100,000 structs with String ids, \(name)", "diff of structs, \(name)", atMost: limit,
            times: "hashing all ids once each")
    }

    private static func addDiff(of lists: Lists, to benchmark: inout Benchmark) {
        let (old, new) = (Lists.objects(lists.old), Lists.objects(lists.new))
        benchmark.add("diff") { ListDiff.between(old, new).moves.count }
        benchmark.add("diff, minimal moves") { ListDiff.between(old, new, moves: .minimal).moves.count }
        addHashing(of: lists, to: &benchmark)
    }

    private static func addHashing(of lists: Lists, to benchmark: inout Benchmark) {
        let old = Lists.identifiers(lists.old)
        benchmark.add("SipHash pass") {
            var result = 0
            for id in old {
                var hasher = Hasher()
                hasher.combine(id)
                result ^= hasher.finalize()
            }
            return result
        }
    }

    private static func addDictionary(of lists: Lists, to benchmark: inout Benchmark) {
        let (old, new) = (Lists.identifiers(lists.old), Lists.identifiers(lists.new))
        benchmark.add("Dictionary") {
            var table = [String: Int](minimumCapacity: old.count)
            for (index, id) in old.enumerated() { table[id] = index }
            var found = 0
            for id in new where table[id] != nil { found += 1 }
            return found
        }
    }

    private static func addPlainHeckel(of lists: Lists, to benchmark: inout Benchmark) {
        let (old, new) = (Lists.identifiers(lists.old), Lists.identifiers(lists.new))
        benchmark.add("plain IGListDiff") {
            PlainHeckel.between(old, new, id: { $0 }, isEqual: { _, _ in true }).moves.count
        }
    }
}
