// SPDX-License-Identifier: Apache-2.0

/// A pack of consecutive placements, stored in columns.
struct PlacementPack: Sendable {
    /// The maximum number of placements in a pack.
    static let capacity = 128

    private let x: PackedDoubles
    private let y: PackedDoubles
    private let width: PackedDoubles
    private let height: PackedDoubles
    private let z: PackedIntegers
    let count: Int
    /// The right and bottom edges of the non-empty frames, at least 0.
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
    /// The placement with valid numbers: NaN and infinite numbers make the frame empty, negative lengths become 0,
    /// and coordinates beyond ±10¹² are clamped.
    var checked: ItemPlacement {
        let numbers = [frame.origin.x, frame.origin.y, frame.size.width, frame.size.height]
        guard numbers.allSatisfy(\.isFinite) else { return ItemPlacement(frame: .zero, zIndex: zIndex) }
        func clamped(_ value: Double) -> Double { min(max(value, -1e12), 1e12) }
        return ItemPlacement(
            frame: Rect(
                x: clamped(frame.origin.x), y: clamped(frame.origin.y), width: clamped(max(0, frame.size.width)),
                height: clamped(max(0, frame.size.height))),
            zIndex: zIndex)
    }

    /// Whether the frame is not empty.
    var isVisible: Bool { frame.size.width > 0 && frame.size.height > 0 }
}
