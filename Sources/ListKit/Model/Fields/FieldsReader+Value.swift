// SPDX-License-Identifier: Apache-2.0

extension FieldsReader {
    /// Returns the next value with all that it contains and moves past it; nil at the end.
    ///
    /// - Complexity: O(size of the value).
    public mutating func nextValue() -> Value? {
        switch next() {
        case .byte(let number): .byte(number)
        case .boolean(let flag): .boolean(flag)
        case .int16(let number): .int16(number)
        case .uint16(let number): .uint16(number)
        case .int32(let number): .int32(number)
        case .uint32(let number): .uint32(number)
        case .int64(let number): .int64(number)
        case .uint64(let number): .uint64(number)
        case .double(let number): .double(number)
        case .string(let text): .string(text.string)
        case .objectPath(let text): .objectPath(text.string)
        case .signature(let text): .signature(text.string)
        case .variant(_, var inside): inside.nextValue().map { .variant($0) }
        case .array(let element, let inside): FieldsReader.arrayValue(elementType: element.string, from: inside)
        case .structure(let inside): .structure(inside.remainingValues())
        case .dictionaryEntry, nil: nil
        }
    }

    /// Decodes all remaining values.
    private func remainingValues() -> [Value] {
        var reader = self
        var values: [Value] = []
        while let value = reader.nextValue() { values.append(value) }
        return values
    }

    /// Decodes the content of an array, or of a dictionary if the element type is `{…}`.
    private static func arrayValue(elementType element: String, from inside: FieldsReader) -> Value {
        guard element.utf8.first == TypeCode.dictionaryEntry.rawValue else {
            return .array(element: element, inside.remainingValues())
        }
        var reader = inside
        var entries: [Value: Value] = [:]
        while case .dictionaryEntry(let entry) = reader.next() {
            let pair = entry.remainingValues()
            if pair.count == 2 { entries[pair[0]] = pair[1] }
        }
        let key = String(element.dropFirst().prefix(1))
        return .dictionary(key: key, value: String(element.dropFirst(2).dropLast()), entries)
    }
}
