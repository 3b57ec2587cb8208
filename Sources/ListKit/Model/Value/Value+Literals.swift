// SPDX-License-Identifier: Apache-2.0

extension Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Makes an `s`.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByIntegerLiteral {
    /// Makes an `x`, the type of JSON integers in the D-Bus contract.
    public init(integerLiteral value: Int64) { self = .int64(value) }
}

extension Value: ExpressibleByFloatLiteral {
    /// Makes a `d`.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Value: ExpressibleByBooleanLiteral {
    /// Makes a `b`.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension Value: ExpressibleByArrayLiteral {
    /// Makes an array of the elements' type if all have the same type, otherwise an `av`.
    public init(arrayLiteral elements: Value...) { self.init(elements) }

    /// Makes an array of the elements' type if all have the same type. Otherwise, and without elements, makes an
    /// `av`.
    public init(_ elements: [Value]) {
        let signature = elements.first?.signature ?? "v"
        if elements.allSatisfy({ $0.signature == signature }) {
            self = .array(element: signature, elements)
        } else {
            self = .array(element: "v", elements.map { .variant($0) })
        }
    }
}

extension Value: ExpressibleByDictionaryLiteral {
    /// Makes an `a{sv}`. Of repeated keys the last is kept.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(Dictionary(elements, uniquingKeysWith: { $1 }))
    }

    /// Makes an `a{sv}`.
    public init(_ entries: [String: Value]) {
        var wrapped: [Value: Value] = [:]
        wrapped.reserveCapacity(entries.count)
        for (key, value) in entries { wrapped[.string(key)] = .variant(value) }
        self = .dictionary(key: "s", value: "v", wrapped)
    }
}
