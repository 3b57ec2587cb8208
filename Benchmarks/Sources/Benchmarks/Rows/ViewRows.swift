// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// Benchmarks of an update by the number of views, and by the number of rows that a view shows.
enum ViewRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [
            ("views many", manyViewsBenchmark), ("views large", largeViewBenchmark),
            ("views selection", selectionBenchmark),
        ]
    }

    private static let count = 40_000

    /// Measures a change of an object that one view shows, while the other views show later parts of the list.
    private static func manyViewsBenchmark() -> Benchmark {
        var benchmark = Benchmark("views many")
        for views in [1, 10_000] {
            let list = ViewedList(count, shown: Array(repeating: 20, count: views))
            benchmark.add("one change, \(views) views", iterations: 200) { list.changeObject(19) }
        }
        addHashing(to: &benchmark)
        benchmark.expect(
            "one object changes that one of 10,000 views shows", "one change, 10000 views", atMost: 1.2,
            times: "one change, 1 views")
        return benchmark
    }

    /// Measures a change of an object in a view that shows the whole list, and the opening of such a view.
    private static func largeViewBenchmark() -> Benchmark {
        var benchmark = Benchmark("views large")
        for shown in [20, count] {
            let list = ViewedList(count, shown: [shown])
            benchmark.add("one change, \(shown) visible", iterations: 20) { list.changeObject(shown - 1) }
        }
        let objects = Lists.objects(Array(0..<count))
        benchmark.add("viewport of \(count) items") {
            ViewedList(objects, shown: [count]).shownCount
        }
        benchmark.add("encoding of \(count) objects") { PlainEncoding.encode(objects).count }
        benchmark.expect(
            "one object changes in a view of 40,000 items", "one change, \(count) visible", atMost: 2,
            times: "one change, 20 visible")
        benchmark.expect(
            "a list of 40,000 objects and a view that shows all of it", "viewport of \(count) items", atMost: 5,
            times: "encoding of \(count) objects")
        return benchmark
    }

    /// Measures selecting and deselecting one item while many others are selected.
    private static func selectionBenchmark() -> Benchmark {
        var benchmark = Benchmark("views selection")
        for selected in [10, 100_000] {
            let list = ViewedList(100_001, shown: [20])
            list.selectItems(0..<selected)
            benchmark.add("one more of \(selected)", iterations: 100) { list.selectItems(100_000..<100_001) }
        }
        addHashing(to: &benchmark)
        benchmark.expect(
            "an item is selected and deselected beside 100,000", "one more of 100000", atMost: 2,
            times: "one more of 10")
        return benchmark
    }

    private static func addHashing(to benchmark: inout Benchmark) {
        let ids = Lists.identifiers(Array(0..<1_000))
        benchmark.add("SipHash pass over 1,000 ids", iterations: 20) {
            ids.reduce(0) { $0 ^ $1.hashValue }
        }
    }
}

/// A list with views of a given number of rows each. The first view shows the beginning of the list, the others show
/// later parts.
private final class ViewedList {
    private let adapter: ListAdapter
    private let count: Int
    private var step = 0

    convenience init(_ count: Int, shown: [Int]) { self.init(Lists.objects(Array(0..<count)), shown: shown) }

    init(_ objects: [ListObject], shown: [Int]) {
        count = objects.count
        adapter = ListAdapter(
            configuration: Lists.configuration, controllers: BuiltInSectionControllerProvider(),
            objects: objects)
        var first = 0
        for (number, rows) in shown.enumerated() {
            var options = ListViewOptions()
            options.buffer = 0
            do throws(ListError) {
                try adapter.openView(ViewID(number + 1), options: options)
                let rect = Rect(x: 0, y: Double(first) * 44, width: 390, height: Double(rows) * 44)
                _ = try adapter.setViewport(view: ViewID(number + 1), seen: 0, rect: rect)
            } catch {
                fatalError("no view: \(error)")
            }
            first = first + 2 * rows < count ? first + rows : shown[0]
        }
    }

    /// The number of objects that the first view shows.
    var shownCount: Int { (try? adapter.viewDescription(1).visibleObjects.count) ?? 0 }

    /// Changes the value of an object.
    func changeObject(_ number: Int) -> Int {
        step += 1
        let id = Lists.identifier(number)
        let operation = UpdateRequest.Operation.patchObject(id: id, set: ["value": .int64(Int64(step))], unset: [])
        adapter.enqueue(UpdateRequest(id: 1, operation: operation), now: 0)
        guard let result = adapter.flushNow().last, result.transaction != nil else {
            fatalError("the update changed nothing")
        }
        return result.events.count
    }

    /// Selects the items, and deselects a single item again. Returns the number of events.
    @discardableResult
    func selectItems(_ range: Range<Int>) -> Int {
        var events = 0
        for number in range {
            let id = Lists.identifier(number)
            do throws(ListError) {
                let selected = try adapter.selectItem(0, ofObject: id)
                events += selected.events.count
                if range.count == 1 { events += try adapter.deselectItem(0, ofObject: id).events.count }
            } catch {
                fatalError("no item: \(error)")
            }
        }
        return events
    }
}

/// The encoding of objects as consecutive bytes, which is the minimum work of a program that sends objects.
private enum PlainEncoding {
    static func encode(_ objects: [ListObject]) -> [UInt8] {
        var bytes: [UInt8] = []
        for object in objects {
            append(object.id, to: &bytes)
            append(object.type, to: &bytes)
            for (key, value) in object.fields {
                append(key, to: &bytes)
                if case .int64(let number) = value {
                    withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
                }
            }
        }
        return bytes
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: text.utf8)
    }
}
