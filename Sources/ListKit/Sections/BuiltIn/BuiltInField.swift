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
