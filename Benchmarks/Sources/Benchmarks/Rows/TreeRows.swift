internal import Foundation
@_spi(Benchmarks) internal import ListKit

/// Changes in place in short and long lists, and what a long list takes.
enum TreeRows {
    /// Ten changes, asked for their indexes and committed, then ten that undo them.
    static func delta() -> Benchmark {
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

    /// Measured in a process of its own, so that nothing else is resident.
    static func memory() -> Benchmark {
        var benchmark = Benchmark("memory")
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--resident", "1000000"]
        process.standardOutput = output
        guard (try? process.run()) != nil else { fatalError("cannot start a process to measure memory") }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(separator: " ").compactMap {
            Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        guard numbers.count == 2 else { fatalError("no answer from the process that measures memory: \(text)") }
        benchmark.facts.append(
            Benchmark.Fact(
                row: "memory of 1,000,000 objects (16-byte ids, 100 bytes of fields) with their positions",
                value: numbers[0] / numbers[1], unit: "×", limit: 1.8,
                note: "raw bytes of ids and fields, \(Int(numbers[0] / 1_000_000)) bytes resident an object"))
        return benchmark
    }

    /// Prints resident bytes and raw bytes of a list.
    static func printResident(_ arguments: [String]) {
        let count = arguments.first.flatMap { Int($0) } ?? 1_000_000
        let before = residentBytes()
        let list = DeltaList(count: count, isSized: true)
        print("\(residentBytes() - before) \(list.rawBytes)")
    }

    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

/// A list that is changed in place.
private final class DeltaList {
    private var tree: SectionTree
    private var random = Numbers(seed: 7)
    private var nextID: Int
    private var ids: [String] = []
    private(set) var rawBytes = 0

    init(count: Int, isSized: Bool = false) {
        nextID = count
        var dropped: [Int] = []
        var objects: [ListObject] = []
        objects.reserveCapacity(count)
        for number in 0..<count {
            let object = isSized ? DeltaList.sizedObject(number) : DeltaList.object(Lists.identifier(number), 0)
            rawBytes += object.byteCount
            objects.append(object)
        }
        guard let tree = try? SectionTree(objects, dropped: &dropped) else { fatalError("no tree of \(count) objects") }
        self.tree = tree
        if !isSized { ids = (0..<count).map { Lists.identifier($0) } }
    }

    private static func object(_ id: String, _ version: Int) -> ListObject {
        guard let object = try? ListObject(id: id, type: "row", fields: ["value": .int64(Int64(version))]) else {
            fatalError("no object \(id)")
        }
        return object
    }

    /// An identifier of 16 bytes and fields of 100.
    private static func sizedObject(_ number: Int) -> ListObject {
        let digits = String(number)
        let id = String(repeating: "0", count: 16 - digits.count) + digits
        let text = String(repeating: "x", count: 80)
        let fields: Fields = ["n": .int64(Int64(number)), "t": .string(text)]
        guard let object = try? ListObject(id: id, type: "row", fields: fields) else { fatalError("no object \(id)") }
        return object
    }

    /// How many steps are prepared at a time.
    static let steps = 2_000

    /// Ten changes: four updates, two moves, two deletes, two inserts.
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
            step.updates = (0..<4).map { _ in DeltaList.object(ids[place()], Int(random.next() % 1000)) }
            step.moves = (0..<2).map { _ in (ids[place()], place()) }
            for _ in 0..<2 {
                let replaced = place()
                step.deletes.append(ids[replaced])
                nextID += 1
                ids[replaced] = Lists.identifier(nextID)
                step.inserts.append((DeltaList.object(ids[replaced], 0), place()))
            }
            return step
        }
        prepared.reverse()
    }

    private func place() -> Int { Int(random.next() % UInt64(ids.count)) }

    /// Does the ten changes, asks what they come to, and commits.
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
