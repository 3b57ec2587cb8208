// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// Benchmarks of finding the items in a viewport of a short and of a very long list.
enum LayoutRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [
            ("layout flow", { visibleItemsBenchmark(.flow) }),
            ("layout absolute", { visibleItemsBenchmark(.absolute) }),
        ]
    }

    /// Measures one list of ten million items, and as many items in lists of ten thousand. Both exceed the
    /// processor's caches, so that their ratio shows the cost of the length, not of the memory. A single short list,
    /// which stays in the caches, is shown as well.
    private static func visibleItemsBenchmark(_ kind: ListLayoutKind) -> Benchmark {
        let name = kind.rawValue
        var benchmark = Benchmark("layout \(name)")
        let (few, many) = (10_000, 10_000_000)
        func makeLayouts(_ number: Int, itemCount count: Int) -> [any ListLayout] {
            (0..<number).map { _ in
                var layout = kind.makeLayout(LayoutConfiguration())
                layout.prepare(Rows(count: count), container: viewport)
                return layout
            }
        }
        let short = makeLayouts(many / few, itemCount: few)
        addQueries(of: makeLayouts(1, itemCount: many), named: "\(name), \(many) items", to: &benchmark)
        addQueries(of: short, named: "\(name), \(few) items", to: &benchmark)
        addQueries(of: [short[0]], named: "\(name), \(few) items, warm", to: &benchmark)
        let frames = (0..<few).map { Rows(count: few).placementOfItem(at: IndexPath(section: $0, item: 0)).frame }
        benchmark.add("linear scan, \(few) items", iterations: 20) {
            let rect = Rect(origin: Point(x: 0, y: 1_000), size: viewport)
            return frames.count { $0.intersects(rect) }
        }
        let row = "visible items of a viewport, 10,000,000 items, layout `\(name)`"
        benchmark.expect(row, "\(name), \(many) items", atMost: 2, times: "\(name), \(few) items")
        benchmark.expect(row, "\(name), \(many) items", atMost: 1, times: "linear scan, \(few) items")
        return benchmark
    }

    /// Adds queries of viewports all over the given lists.
    private static func addQueries(of layouts: [any ListLayout], named name: String, to benchmark: inout Benchmark) {
        var random = Numbers(seed: 3)
        let length = layouts[0].contentSize.height - viewport.height
        benchmark.add(name, iterations: 2_000) {
            let start = length * Double(random.next() % 1_000_000) / 1_000_000
            let rect = Rect(origin: Point(x: 0, y: start), size: viewport)
            let layout = layouts[Int(random.next() % UInt64(layouts.count))]
            return layout.attributes(in: rect, origin: rect.origin).count
        }
    }

    private static let viewport = Size(width: 390, height: 844)

    /// A layout source with rows of different heights, one below the other.
    private struct Rows: LayoutSource {
        let count: Int

        var numberOfSections: Int { count }

        func metrics(forSection section: Int) -> SectionMetrics { SectionMetrics(itemCount: 1) }

        func sizeForItem(at path: IndexPath) -> Size { Size(width: 390, height: 40 + Double(path.section % 5)) }

        func placementOfItem(at path: IndexPath) -> ItemPlacement {
            let (fives, rest) = path.section.quotientAndRemainder(dividingBy: 5)
            let start = fives * (5 * 40 + 10) + rest * 40 + rest * (rest - 1) / 2
            return ItemPlacement(
                frame: Rect(origin: Point(x: 0, y: Double(start)), size: sizeForItem(at: path)))
        }
    }
}
