// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ListKit

/// Benchmarks of whole adapters whose section controllers return constants: scrolling, another size of the view, and
/// memory.
enum AdapterRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [
            ("adapter scroll", scrollBenchmark), ("adapter size", viewportSizeBenchmark),
            ("adapter memory", memoryBenchmark),
        ]
    }

    private static let million = 1_000_000

    private static func scrollBenchmark() -> Benchmark {
        var benchmark = Benchmark("adapter scroll")
        for count in [1_000, million] {
            let list = ScrolledList(Lists.objects(Array(0..<count)))
            list.show(screen: 0, width: 390)
            let before = list.provider.made
            list.show(screen: 1, width: 390)
            if count == million {
                benchmark.facts.append(
                    Benchmark.Fact(
                        row: "section controllers made by a scroll step through 1,000,000 objects",
                        value: Double(list.provider.made - before), unit: "", limit: Double(list.shownCount),
                        note: "items shown"))
            }
            benchmark.add("scroll step in \(count)", iterations: 500) { list.scrollOneScreen() }
        }
        benchmark.expect(
            "one scroll step of a screen through 1,000,000 objects, fixed traits", "scroll step in \(million)",
            atMost: 2, times: "scroll step in 1000")
        return benchmark
    }

    private static func viewportSizeBenchmark() -> Benchmark {
        var benchmark = Benchmark("adapter size")
        let list = ScrolledList(Lists.objects(Array(0..<million)))
        let ids = Lists.identifiers(Array(0..<million))
        var width = 390.0
        benchmark.add("another width") {
            width = width == 390 ? 391 : 390
            return list.show(screen: 9, width: width)
        }
        benchmark.add("SipHash pass") {
            ids.reduce(0) { result, id in
                var hasher = Hasher()
                hasher.combine(id)
                return result ^ hasher.finalize()
            }
        }
        benchmark.expect(
            "another viewport size over 1,000,000 objects, fixed traits", "another width", atMost: 1,
            times: "SipHash pass")
        for (name, columns, limit) in [("rows that fill it", 1, 1.0), ("tiles that break lines", 5, 6)] {
            addWidths(of: name, columns: columns, to: &benchmark)
            benchmark.expect(
                "another viewport size over 1,000,000 objects, \(name)", "another width, \(name)", atMost: limit,
                times: "SipHash pass")
        }
        return benchmark
    }

    /// Adds a list of `listd/single` with different heights, whose view gets another width.
    private static func addWidths(of name: String, columns: Int, to benchmark: inout Benchmark) {
        let objects = (0..<million).compactMap { number in
            var fields: Fields = ["height": .double(20 + Double(number % 7))]
            if columns > 1 { fields["width"] = .double(390 / Double(columns)) }
            return try? ListObject(id: "o\(number)", fields: fields)
        }
        let adapter = ListAdapter(
            configuration: ListOptions(name: "widths"), controllers: BuiltInSectionControllerProvider(),
            objects: objects)
        try? adapter.openView(1)
        var width = 390.0
        benchmark.add("another width, \(name)") {
            width = width == 390 ? 391 : 390
            let rect = Rect(x: 0, y: 4_400, width: width, height: 844)
            return (try? adapter.setViewport(view: 1, seen: 0, rect: rect).effects.count) ?? 0
        }
    }

    // MARK: Memory

    /// Returns the memory of a list, which is measured in a process of its own, so that nothing else is resident.
    private static func memoryBenchmark() -> Benchmark {
        var benchmark = Benchmark("adapter memory")
        let (resident, raw) = Resident.measure("adapter")
        benchmark.facts.append(
            Benchmark.Fact(
                row: "memory of 1,000,000 objects (16-byte ids, 100 bytes of fields) in an adapter with a view",
                value: resident / raw, unit: "×", limit: 1.75,
                note: "raw bytes of ids and fields, \(Int(resident) / million) bytes resident an object"))
        return benchmark
    }

    /// Creates the list whose memory is measured. Returns a reference that keeps it alive, and the number of its raw
    /// bytes.
    static func residentList(_ count: Int) -> (Any, Int) {
        let objects = (0..<count).map(Lists.sizedObject)
        let bytes = objects.reduce(0) { $0 + $1.byteCount }
        let list = ScrolledList(objects)
        list.show(screen: min(500, count / 40), width: 390)
        return (list, bytes)
    }
}

/// A list with one view. Section controllers exist only for the sections that the view shows.
private final class ScrolledList {
    let provider = FixedProvider()
    private let adapter: ListAdapter
    private let screens: Int
    private var screen = 0

    init(_ objects: [ListObject]) {
        adapter = ListAdapter(configuration: Lists.configuration, controllers: provider, objects: objects)
        screens = objects.count * Int(FixedProvider.rowHeight) / Int(ScrolledList.height) - 1
        do throws(ListError) {
            try adapter.openView(1)
        } catch {
            fatalError("no view: \(error)")
        }
    }

    private static let height = 880.0

    /// The number of items that the view shows.
    private(set) var shownCount = 0

    /// Scrolls to a screen and acknowledges the picture. Returns the number of changes in the picture.
    @discardableResult
    func show(screen: Int, width: Double) -> Int {
        let rect = Rect(x: 0, y: Double(screen) * ScrolledList.height, width: width, height: ScrolledList.height)
        do throws(ListError) {
            let reply = try adapter.setViewport(view: 1, seen: 0, rect: rect)
            shownCount = try adapter.viewDescription(1).visibleObjects.count
            return try reply.effects.count + adapter.acknowledge(view: 1, sequence: reply.sequence).count
        } catch {
            fatalError("no viewport: \(error)")
        }
    }

    func scrollOneScreen() -> Int {
        screen = (screen + 1) % screens
        return show(screen: screen, width: 390)
    }
}

/// A provider of equal section controllers, which counts how many it makes.
private final class FixedProvider: ListSectionControllerProvider {
    static let rowHeight = 44.0
    private(set) var made = 0

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        let traits = ListSectionTraits(itemCount: 1) { container in
            ListSectionShape(
                metrics: SectionMetrics(
                    itemCount: 1,
                    uniformItemSize: Size(width: container.size.width, height: FixedProvider.rowHeight)))
        }
        return ListSectionControllerKind(name: "bench/row", traits: traits) { [weak self] _ in
            self?.made += 1
            return Row()
        }
    }

    private final class Row: ListSectionController {
        private var fields = Fields()

        override func didUpdate(to object: ListObject) { fields = object.fields }

        override func item(at index: Int) -> ListItem { ListItem(reuseIdentifier: "row", content: fields) }
    }
}
