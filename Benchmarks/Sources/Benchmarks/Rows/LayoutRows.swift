internal import ListKit

/// What lies in a viewport of a short and of a very long list.
enum LayoutRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [
            ("layout flow", { visible("flow", .flow(FlowConfiguration())) }),
            ("layout absolute", { visible("absolute", .absolute(.vertical)) }),
        ]
    }

    private static func visible(_ name: String, _ configuration: LayoutConfiguration) -> Benchmark {
        var benchmark = Benchmark("layout \(name)")
        let (few, many) = (10_000, 10_000_000)
        for count in [few, many] {
            var layout = ListLayout(configuration)
            layout.prepare(Rows(count: count), container: viewport)
            let laidOut = layout
            var random = Numbers(seed: 3)
            let length = layout.contentSize.height - viewport.height
            benchmark.add("\(name), \(count) items", iterations: 2_000) {
                let start = length * Double(random.next() % 1_000_000) / 1_000_000
                let rect = Rect(origin: Point(x: 0, y: start), size: viewport)
                return laidOut.attributes(in: rect, origin: rect.origin).count
            }
        }
        let frames = (0..<few).map { Rows(count: few).placementOfItem(at: IndexPath(section: $0, item: 0)).frame }
        benchmark.add("linear scan, \(few) items", iterations: 20) {
            let rect = Rect(origin: Point(x: 0, y: 1_000), size: viewport)
            return frames.count { $0.intersects(rect) }
        }
        benchmark.expect(
            "visible items of a viewport, 10,000,000 items, layout `\(name)`", "\(name), \(many) items", atMost: 2,
            times: "\(name), \(few) items")
        benchmark.expect(
            "visible items of a viewport, 10,000,000 items, layout `\(name)`", "\(name), \(many) items", atMost: 1,
            times: "linear scan, \(few) items")
        return benchmark
    }

    private static let viewport = Size(width: 390, height: 844)

    /// Rows of different heights, one below the other.
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
