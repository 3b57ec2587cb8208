// SPDX-License-Identifier: Apache-2.0

/// The fields of an object that `listd/binding` reads.
struct BindingFields {
    typealias Key = BuiltInField.Key

    /// The dictionaries in the field `items` that have a unique `id`, in order, with their indexes in the field.
    let items: [(id: String, fields: Fields, place: Int)]
    let inset: EdgeInsets
    let lineSpacing: Double
    let interitemSpacing: Double
    /// The field `header`, if it is a dictionary.
    let header: Fields?
    /// The field `footer`, if it is a dictionary.
    let footer: Fields?
    /// The elements of the field `items` that make no item, with their indexes in the field.
    private let dropped: [(place: Int, reason: ContentLoss.Reason)]
    /// The keys of insets and spacings that are not finite numbers and therefore count as 0.
    private let replaced: [String]

    init(_ fields: Fields) {
        var seen: Set<ExactText> = []
        var items: [(id: String, fields: Fields, place: Int)] = []
        var dropped: [(place: Int, reason: ContentLoss.Reason)] = []
        for (place, element) in fields.dictionaries(forKey: Key.items.rawValue).enumerated() {
            if let element, let id = element[.id]?.string {
                if seen.insert(ExactText(id)).inserted {
                    items.append((id, element, place))
                } else {
                    dropped.append((place, .repeatedItemID))
                }
            } else {
                dropped.append((place, .noItemID))
            }
        }
        (self.items, self.dropped) = (items, dropped)
        var replaced: [String] = []
        func length(_ key: Key, of fields: Fields?, in place: String = "") -> Double {
            guard let value = fields?[key] else { return 0 }
            guard let length = BindingFields.length(value) else {
                replaced.append(place + key.rawValue)
                return 0
            }
            return length
        }
        let inset = fields.dictionary(forKey: Key.inset.rawValue)
        func margin(_ side: Key) -> Double { length(side, of: inset, in: "\(Key.inset.rawValue).") }
        self.inset = EdgeInsets(
            top: margin(.top), left: margin(.left), bottom: margin(.bottom), right: margin(.right))
        lineSpacing = length(.lineSpacing, of: fields)
        interitemSpacing = length(.interitemSpacing, of: fields)
        self.replaced = replaced
        header = fields.dictionary(forKey: Key.header.rawValue)
        footer = fields.dictionary(forKey: Key.footer.rawValue)
    }

    /// Returns the items of an object of a type. The reuse identifier is the field `reuse`, or else the type.
    func viewModels(type: String) -> [ListItem] {
        items.map { item in
            ListItem(
                identity: item.id, reuseIdentifier: item.fields[.reuse]?.string ?? (type.isEmpty ? "single" : type),
                content: item.fields)
        }
    }

    /// Returns the length of a header or footer along the scroll axis, or 0 if there is no such element.
    static func length(of element: Fields?, in direction: ScrollDirection) -> Double {
        element?[lengthKey(in: direction)].flatMap { length($0) } ?? 0
    }

    private static func lengthKey(in direction: ScrollDirection) -> String {
        (direction == .vertical ? ItemGeometry.Role.height : .width).rawValue
    }

    /// Returns the length in a value, at least 0, or `nil` if the value is not a finite number.
    private static func length(_ value: Value) -> Double? {
        guard let number = value.double, number.isFinite else { return nil }
        return max(0, number)
    }
}

extension BindingFields {
    /// Returns the number of items of an object. Adds to `losses` the content that is left out or replaced.
    static func countItems(
        of object: ListObject, in container: ListContainer, adding losses: inout ContentLosses
    ) -> Int {
        let fields = BindingFields(object.fields)
        for (place, reason) in fields.dropped {
            losses.add(reason, of: object, key: "\(Key.items.rawValue)[\(place)].\(Key.id.rawValue)")
        }
        for item in fields.items {
            for role in ItemGeometry(item.fields).faults(in: container.layout) {
                losses.add(.notANumber, of: object, key: "\(Key.items.rawValue)[\(item.place)].\(role.rawValue)")
            }
        }
        for key in fields.replaced { losses.add(.notANumber, of: object, key: key) }
        let lengthKey = lengthKey(in: container.direction)
        for (name, element) in [(Key.header, fields.header), (.footer, fields.footer)] {
            guard let value = element?[lengthKey], length(value) == nil else { continue }
            losses.add(.notANumber, of: object, key: "\(name.rawValue).\(lengthKey)")
        }
        return fields.items.count
    }
}

extension Fields {
    /// Returns the dictionary at a key, or `nil` if there is no value or another kind of value.
    func dictionary(forKey key: String) -> Fields? {
        guard var inside = reader(forKey: key) else { return nil }
        return inside.nextDictionary()
    }

    /// Returns the elements of the array at a key (`aa{sv}`, or `av` of `a{sv}`), `nil` for each that is not a
    /// dictionary.
    func dictionaries(forKey key: String) -> [Fields?] {
        guard var inside = reader(forKey: key), case .array(_, var elements) = inside.next() else {
            return []
        }
        var result: [Fields?] = []
        while !elements.isAtEnd { result.append(elements.nextDictionary()) }
        return result
    }
}

extension FieldsReader {
    /// Reads the next value if it is an `a{sv}`, also inside a variant. Moves past the value in any case.
    ///
    /// The bytes of such a dictionary are also the encoding of `Fields`, so nothing is decoded.
    fileprivate mutating func nextDictionary() -> Fields? {
        switch next() {
        case .variant(_, var inside): return inside.nextDictionary()
        case .array(let element, let inside):
            guard element.string == "{sv}" else { return nil }
            let range = inside.position..<inside.end
            return inside.storage.withFields { Fields(storage: ObjectStorage.make(fields: $0.extracting(range))) }
        default: return nil
        }
    }
}
