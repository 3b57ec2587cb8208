/// What `listd/binding` reads from the fields of an object.
struct BindingFields {
    /// The dictionaries in the field `items` that have an `id` of their own, in order.
    let items: [(id: String, fields: Fields)]
    let inset: EdgeInsets
    let lineSpacing: Double
    let interitemSpacing: Double
    /// The field `header`, if it is a dictionary.
    let header: Fields?
    /// The field `footer`, if it is a dictionary.
    let footer: Fields?

    init(_ fields: Fields) {
        var seen: Set<ExactText> = []
        items = fields.dictionaries(forKey: "items").compactMap { item in
            guard let id = item["id"]?.string, seen.insert(ExactText(id)).inserted else { return nil }
            return (id, item)
        }
        let inset = fields.dictionary(forKey: "inset")
        self.inset = EdgeInsets(
            top: BindingFields.length(inset?["top"]), left: BindingFields.length(inset?["left"]),
            bottom: BindingFields.length(inset?["bottom"]), right: BindingFields.length(inset?["right"]))
        lineSpacing = BindingFields.length(fields["line-spacing"])
        interitemSpacing = BindingFields.length(fields["interitem-spacing"])
        header = fields.dictionary(forKey: "header")
        footer = fields.dictionary(forKey: "footer")
    }

    /// The items with the reuse identifier that they have in an object of a type.
    func viewModels(type: String) -> [ListItem] {
        items.map { id, fields in
            ListItem(
                identity: id, reuseIdentifier: fields["reuse"]?.string ?? (type.isEmpty ? "single" : type),
                content: fields)
        }
    }

    /// The length of a header or footer along the scroll axis; 0 = there is none.
    static func length(of element: Fields?, in direction: ScrollDirection) -> Double {
        length(element?[direction == .vertical ? "height" : "width"])
    }

    private static func length(_ value: Value?) -> Double {
        guard let number = value?.double, number.isFinite else { return 0 }
        return max(0, number)
    }
}

extension Fields {
    /// The dictionary at a key; `nil` when there is none or it is something else.
    func dictionary(forKey key: String) -> Fields? {
        guard var inside = find(key) else { return nil }
        return inside.nextDictionary()
    }

    /// The dictionaries of the array at a key (`aa{sv}`, or `av` of `a{sv}`); other elements are left out.
    func dictionaries(forKey key: String) -> [Fields] {
        guard var inside = find(key), case .array(_, var elements) = inside.next() else {
            return []
        }
        var result: [Fields] = []
        while !elements.isAtEnd {
            if let element = elements.nextDictionary() { result.append(element) }
        }
        return result
    }
}

extension FieldsReader {
    /// The next value if it is an `a{sv}`, looking through variants; moves past the value in any case.
    ///
    /// The bytes of such a dictionary are those of fields, so nothing is decoded.
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
