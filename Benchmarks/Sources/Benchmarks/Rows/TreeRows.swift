// SPDX-License-Identifier: Apache-2.0

@_spi(Benchmarks) internal import ListKit

/// Benchmarks of lists that are changed in place: the time of changes in short and long lists, and the memory of a
/// long list.
enum TreeRows {
    /// Measures ten changes, with the calculation of their index changes and the commit, and then ten changes that
    /// undo them.
    static func deltaBenchmark() -> Benchmark {
        var benchmark = Benchmark("delta")
        for count in [1_000, 1_000_000] {
            let sections = DeltaList(count: count)
            let name = "delta of 10 in \(count)"
            benchmark.add(name, iterations: DeltaList.steps, prepare: sections.prepare) { sections.step() }
        }
        benchmark.expect(
            "delta of 10 changes in 1,000,000 objects", "delta of 10 in 1000000", atMost: 3,
            times: "delta of 10 in 1000")
        return benchmark
    }

    /// Returns the memory of a list, which is measured in a process of its own, so that nothing else is resident.
    static func memoryBenchmark() -> Benchmark {
        var benchmark = Benchmark("memory")
        let (resident, raw) = Resident.measure("tree")
        benchmark.facts.append(
            Benchmark.Fact(
                row: "memory of 1,000,000 objects (16-byte ids, 100 bytes of fields) with their positions",
                value: resident / raw, unit: "×", limit: 1.65,
                note: "raw bytes of ids and fields, \(Int(resident) / 1_000_000) bytes resident an object"))
        return benchmark
    }

    /// Creates the list whose memory is measured. Returns a reference that keeps it alive, and the number of its raw
    /// bytes.
    static func residentTree(_ count: Int) -> (Any, Int) {
        let list = DeltaList((0..<count).map(Lists.sizedObject))
        return (list, list.rawBytes)
    }
}

/// A list that is changed in place.
private final class DeltaList {
    private var tree: SectionTree
    private var random = Numbers(seed: 7)
    private var nextID: Int
    private var ids: [String] = []
    let rawBytes: Int

    convenience init(count: Int) {
        self.init((0..<count).map { DeltaList.makeObject(Lists.identifier($0), version: 0) })
        ids = (0..<count).map { Lists.identifier($0) }
    }

    init(_ objects: [ListObject]) {
        nextID = objects.count
        rawBytes = objects.reduce(0) { $0 + $1.byteCount }
        var dropped: [Int] = []
        guard let tree = try? SectionTree(objects, dropped: &dropped) else {
            fatalError("the tree of \(objects.count) objects could not be created")
        }
        self.tree = tree
    }

    private static func makeObject(_ id: String, version: Int) -> ListObject {
        guard let object = try? ListObject(id: id, type: "row", fields: ["value": .int64(Int64(version))]) else {
            fatalError("the object “\(id)” could not be created")
        }
        return object
    }

    /// The number of steps that are prepared at a time.
    static let steps = 2_000

    /// The ten changes of a step: four updates, two moves, two deletes, two inserts.
    private struct Step {
        var updates: [ListObject] = []
        var moves: [(id: String, index: Int)] = []
        var deletes: [String] = []
        var inserts: [(object: ListObject, index: Int)] = []
    }

    private var prepared: [Step] = []

    /// Chooses the changes of the next steps, at places all over the list.
    func prepare() {
        prepared = (0..<DeltaList.steps).map { _ in
            var step = Step()
            step.updates = (0..<4).map { _ in
                DeltaList.makeObject(ids[randomIndex()], version: Int(random.next() % 1000))
            }
            step.moves = (0..<2).map { _ in (ids[randomIndex()], randomIndex()) }
            for _ in 0..<2 {
                let replaced = randomIndex()
                step.deletes.append(ids[replaced])
                nextID += 1
                ids[replaced] = Lists.identifier(nextID)
                step.inserts.append((DeltaList.makeObject(ids[replaced], version: 0), randomIndex()))
            }
            return step
        }
        prepared.reverse()
    }

    private func randomIndex() -> Int { Int(random.next() % UInt64(ids.count)) }

    /// Makes the ten changes, calculates the resulting index changes, and commits.
    func step() -> Int {
        guard let step = prepared.popLast() else { return 0 }
        for object in step.updates { tree.replace(object) }
        for (id, index) in step.moves { tree.move(id, to: index) }
        for id in step.deletes { tree.remove(id) }
        for (object, index) in step.inserts { _ = tree.insert(object, at: index) }
        let changes = tree.changes().changeCount
        return changes + tree.commit().count
    }
}
