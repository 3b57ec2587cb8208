// SPDX-License-Identifier: Apache-2.0

/// A field that built-in section controllers read: a row of the tables in listd-controllers(5).
@_spi(Daemon) public struct BuiltInField: Sendable, Hashable {
    /// The dictionary that has the field.
    public enum Place: String, Sendable, CaseIterable {
        /// An object that `listd/single` shows.
        case single
        /// An object that `listd/binding` shows.
        case binding
        /// An element of the field `items`.
        case item
        /// The field `header` or `footer`.
        case supplementary
        /// The field `inset`.
        case inset
    }

    /// The keys that are not those of ``ItemGeometry``.
    enum Key: String {
        case items, header, footer, inset, id, reuse, top, left, bottom, right
        case lineSpacing = "line-spacing"
        case interitemSpacing = "interitem-spacing"
    }

    /// The dictionary that has the field.
    public let place: Place
    /// The key of the field.
    public let key: String
    /// The type of the field as the manual page names it: a signature, or `number` for every numeric type.
    public let type: String
    /// What counts if the field is absent or has another type, as the manual page says it.
    public let standard: String

    /// What is counted and logged if the field has another type; `nil` if nothing is.
    public var loss: ContentLoss.Reason? {
        if key == Key.id.rawValue { return .noItemID }
        return type == "number" ? .notANumber : nil
    }

    /// All fields, in the order of the manual page.
    public static let all: [BuiltInField] =
        [BuiltInField(.single, .reuse, "s", "the type, or single")] + geometry(.single)
        + [
            BuiltInField(.binding, .items, "aa{sv}", "no items"),
            BuiltInField(.binding, .header, "a{sv}", "none"),
            BuiltInField(.binding, .footer, "a{sv}", "none"),
            BuiltInField(.binding, .inset, "a{sv}", "0 on each side"),
            BuiltInField(.binding, .lineSpacing, "number", "0"),
            BuiltInField(.binding, .interitemSpacing, "number", "0"),
            BuiltInField(.item, .id, "s", "the item is dropped"),
            BuiltInField(.item, .reuse, "s", "the object's type, or single"),
        ] + geometry(.item)
        + [
            BuiltInField(.supplementary, .reuse, "s", "header or footer"),
            BuiltInField(.supplementary, ItemGeometry.Role.height.rawValue, "number", "0: none in a vertical list"),
            BuiltInField(.supplementary, ItemGeometry.Role.width.rawValue, "number", "0: none in a horizontal list"),
        ] + [Key.top, .left, .bottom, .right].map { BuiltInField(.inset, $0, "number", "0") }

    private static func geometry(_ place: Place) -> [BuiltInField] {
        ItemGeometry.Role.allCases.map { BuiltInField(place, $0.rawValue, "number", $0.standard) }
    }

    private init(_ place: Place, _ key: Key, _ type: String, _ standard: String) {
        self.init(place, key.rawValue, type, standard)
    }

    private init(_ place: Place, _ key: String, _ type: String, _ standard: String) {
        (self.place, self.key, self.type, self.standard) = (place, key, type, standard)
    }
}

extension ItemGeometry.Role {
    /// What counts if the field is absent, as the manual page says it.
    fileprivate var standard: String {
        switch self {
        case .width: "the width of the view, or 44"
        case .height: "44, or the height of the view"
        case .x, .y, .z: "0"
        }
    }
}

extension Fields {
    /// The value of a key that built-in section controllers read.
    subscript(key: BuiltInField.Key) -> Value? { self[key.rawValue] }
}

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

    /// Returns the item's size. The defaults are the extent of a row across the scroll axis, and 44 points along the
    /// axis.
    ///
    /// - Parameter inset: the inset of the section.
    func size(in container: ListContainer, inset: EdgeInsets = .zero) -> Size {
        let across = container.fillsRows(inset: inset) ? ItemGeometry.wholeRow : container.extentAcross
        return switch container.direction {
        case .vertical: Size(width: width ?? across, height: height ?? ItemGeometry.standardLength)
        case .horizontal: Size(width: width ?? ItemGeometry.standardLength, height: height ?? across)
        }
    }

    /// Returns the item's frame and z index in layouts that use placements.
    func placement(in container: ListContainer) -> ItemPlacement {
        let clamped = min(max(z, -ItemGeometry.maximumZ), ItemGeometry.maximumZ)
        return ItemPlacement(frame: Rect(origin: Point(x: x, y: y), size: size(in: container)), zIndex: Int(clamped))
    }

    /// An extent that is larger than any row. The layout `flow` shortens it to the row, so that the size does not depend on
    /// the size of the viewport.
    private static let wholeRow = 1e9
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

extension ListContainer {
    /// The extent of the viewport across the scroll axis.
    fileprivate var extentAcross: Double { direction.across(size) }

    /// Whether an item that is as wide as the viewport fills its row in any case. Negative insets make rows wider than the
    /// viewport.
    func fillsRows(inset: EdgeInsets) -> Bool {
        let edges =
            direction == .vertical
            ? [self.inset.left, self.inset.right, inset.left, inset.right]
            : [self.inset.top, self.inset.bottom, inset.top, inset.bottom]
        return layout == .flow && edges.allSatisfy { $0 >= 0 }
    }
}
