// SPDX-License-Identifier: Apache-2.0

/// The size and position of an item from its fields `x`, `y`, `width`, `height` and `z`.
///
/// Every numeric type is accepted. Negative extents count as 0. A field that is NaN, infinite or of another type
/// counts as absent.
struct ItemGeometry {
    private var x = 0.0
    private var y = 0.0
    private var width: Double?
    private var height: Double?
    private var z = 0.0
    /// The fields that are not finite numbers and therefore count as absent.
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

    /// Returns the fields that a layout reads and that are not finite numbers.
    func faults(in layout: ListLayoutKind) -> [Role] {
        layout.usesPlacements ? faults : faults.filter { $0 == .width || $0 == .height }
    }

    /// Returns the item's size. The defaults are the viewport's extent across the scroll axis, and 44 points along
    /// the axis.
    func size(in container: ListContainer) -> Size {
        switch container.direction {
        case .vertical: Size(width: width ?? container.size.width, height: height ?? ItemGeometry.standardLength)
        case .horizontal: Size(width: width ?? ItemGeometry.standardLength, height: height ?? container.size.height)
        }
    }

    /// Returns the item's frame and z index in layouts that use placements.
    func placement(in container: ListContainer) -> ItemPlacement {
        let clamped = min(max(z, -ItemGeometry.maximumZ), ItemGeometry.maximumZ)
        return ItemPlacement(frame: Rect(origin: Point(x: x, y: y), size: size(in: container)), zIndex: Int(clamped))
    }

    /// The length of an item whose fields give no length, in points.
    private static let standardLength = 44.0
    /// The largest z index: all integers up to this number are exact in a `Double`.
    private static let maximumZ = 9_007_199_254_740_992.0

    /// The meaning of a geometry field. The raw value is the field's key.
    enum Role: String, CaseIterable {
        case width, height, x, y, z

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
