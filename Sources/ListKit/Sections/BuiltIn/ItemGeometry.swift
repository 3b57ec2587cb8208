// SPDX-License-Identifier: Apache-2.0

/// Size and place of an item as its fields give them: `x`, `y`, `width`, `height`, `z`.
///
/// Every numeric type counts; negative extents are 0; NaN, infinite or another type is as if the field were absent.
struct ItemGeometry {
    private var x = 0.0
    private var y = 0.0
    private var width: Double?
    private var height: Double?
    private var z = 0.0
    /// The fields that are no finite numbers, so that they count as absent.
    private var faults: [Role] = []

    init(_ fields: Fields) {
        fields.forEachEntry { bytes, entry in
            guard let role = Role(key: bytes.extracting(entry.key)) else { return }
            var value = FieldsReader(storage: fields.storage, value: entry)
            guard let number = value.nextValue()?.double, number.isFinite else { return faults.append(role) }
            switch role {
            case .x: x = number
            case .y: y = number
            case .width: width = max(0, number)
            case .height: height = max(0, number)
            case .z: z = number
            }
        }
    }

    /// The fields that a layout reads and that are not finite numbers.
    func faults(in layout: ListLayoutKind) -> [Role] {
        layout.usesPlacements ? faults : faults.filter { $0 == .width || $0 == .height }
    }

    /// The item's size; the defaults are the viewport's extent across the scroll axis, and 44 along it.
    func size(in container: ListContainer) -> Size {
        switch container.direction {
        case .vertical: Size(width: width ?? container.size.width, height: height ?? ItemGeometry.standardLength)
        case .horizontal: Size(width: width ?? ItemGeometry.standardLength, height: height ?? container.size.height)
        }
    }

    /// The item's place in layouts that use placements.
    func placement(in container: ListContainer) -> ItemPlacement {
        let clamped = min(max(z, -ItemGeometry.maximumZ), ItemGeometry.maximumZ)
        return ItemPlacement(frame: Rect(origin: Point(x: x, y: y), size: size(in: container)), zIndex: Int(clamped))
    }

    /// The length of an item that names none, in points.
    private static let standardLength = 44.0
    /// Integers up to here are exact in a double.
    private static let maximumZ = 9_007_199_254_740_992.0

    /// What a field says of an item; the raw value is its key.
    enum Role: String {
        case x, y, width, height, z

        init?(key: Span<UInt8>) {
            switch (key.count, key.count > 0 ? key[0] : 0) {
            case (1, UInt8(ascii: "x")): self = .x
            case (1, UInt8(ascii: "y")): self = .y
            case (1, UInt8(ascii: "z")): self = .z
            case (5, UInt8(ascii: "w")) where key.isIdenticalBytes(to: "width".utf8Span.span): self = .width
            case (6, UInt8(ascii: "h")) where key.isIdenticalBytes(to: "height".utf8Span.span): self = .height
            default: return nil
            }
        }
    }
}
