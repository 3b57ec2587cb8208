// SPDX-License-Identifier: Apache-2.0

/// Some neighbouring placements, as columns.
struct PlacementPack: Sendable {
    /// The most placements in a pack.
    static let capacity = 128

    private let x: PackedDoubles
    private let y: PackedDoubles
    private let width: PackedDoubles
    private let height: PackedDoubles
    private let z: PackedIntegers
    let count: Int
    /// The right and bottom edge of the frames with an area; at least 0.
    let reach: Size

    init(_ placements: some Collection<ItemPlacement>) {
        x = PackedDoubles(placements.map(\.frame.origin.x))
        y = PackedDoubles(placements.map(\.frame.origin.y))
        width = PackedDoubles(placements.map(\.frame.size.width))
        height = PackedDoubles(placements.map(\.frame.size.height))
        z = PackedIntegers(placements.map { Int64($0.zIndex) }[...])
        count = placements.count
        var reach = Size.zero
        for placement in placements where placement.isVisible {
            reach.width = max(reach.width, placement.frame.maxX)
            reach.height = max(reach.height, placement.frame.maxY)
        }
        self.reach = reach
    }

    subscript(index: Int) -> ItemPlacement {
        ItemPlacement(
            frame: Rect(x: x[index], y: y[index], width: width[index], height: height[index]), zIndex: Int(z[index]))
    }
}

extension ItemPlacement {
    /// The placement with valid numbers: NaN and infinite ones make the frame empty, negative lengths are 0, far coordinates
    /// are cut.
    var checked: ItemPlacement {
        let numbers = [frame.origin.x, frame.origin.y, frame.size.width, frame.size.height]
        guard numbers.allSatisfy(\.isFinite) else { return ItemPlacement(frame: .zero, zIndex: zIndex) }
        func near(_ value: Double) -> Double { min(max(value, -1e12), 1e12) }
        return ItemPlacement(
            frame: Rect(
                x: near(frame.origin.x), y: near(frame.origin.y), width: near(max(0, frame.size.width)),
                height: near(max(0, frame.size.height))),
            zIndex: zIndex)
    }

    /// Whether the frame has an area.
    var isVisible: Bool { frame.size.width > 0 && frame.size.height > 0 }
}
