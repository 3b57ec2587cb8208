// SPDX-License-Identifier: Apache-2.0

/// The grammar of D-Bus signatures (D-Bus specification, "Valid Signatures").
enum TypeSignature {
    /// The maximum number of letters of a signature.
    static let maximumLength = 255

    /// Returns the end of the complete type that starts at a position; nil if no complete type starts there.
    ///
    /// - Parameter byte: returns the letter at a position below `limit`.
    static func endOfCompleteType(
        at start: Int, before limit: Int, arrays: Int = 0, structures: Int = 0, byte: (Int) -> UInt8
    ) -> Int? {
        guard start < limit, let code = TypeCode(rawValue: byte(start)) else { return nil }
        switch code {
        case .array:
            guard arrays < 32 else { return nil }
            if start + 1 < limit, byte(start + 1) == TypeCode.dictionaryEntry.rawValue {
                return endOfDictionaryEntry(
                    at: start + 1, before: limit, arrays: arrays + 1, structures: structures, byte: byte)
            }
            return endOfCompleteType(
                at: start + 1, before: limit, arrays: arrays + 1, structures: structures, byte: byte)
        case .structure:
            guard structures < 32 else { return nil }
            var position = start + 1
            while position < limit, byte(position) != TypeCode.structureEnd.rawValue {
                let next = endOfCompleteType(
                    at: position, before: limit, arrays: arrays, structures: structures + 1, byte: byte)
                guard let next else { return nil }
                position = next
            }
            return position < limit && position > start + 1 ? position + 1 : nil
        case .structureEnd, .dictionaryEntry, .dictionaryEntryEnd: return nil
        default: return start + 1
        }
    }

    /// Returns the end of the dictionary entry that starts at a position; nil for a malformed entry. An entry has a
    /// basic type and a complete type, and counts as a structure for the nesting.
    private static func endOfDictionaryEntry(
        at start: Int, before limit: Int, arrays: Int, structures: Int, byte: (Int) -> UInt8
    ) -> Int? {
        guard structures < 32, start + 1 < limit, let key = TypeCode(rawValue: byte(start + 1)), key.isBasic else {
            return nil
        }
        let value = endOfCompleteType(
            at: start + 2, before: limit, arrays: arrays, structures: structures + 1, byte: byte)
        guard let value, value < limit, byte(value) == TypeCode.dictionaryEntryEnd.rawValue else { return nil }
        return value + 1
    }

    /// Returns the end of a complete type that is known to be well formed. It counts brackets instead of checking the
    /// type.
    static func endOfWellFormedType(at start: Int, before limit: Int, byte: (Int) -> UInt8) -> Int {
        var position = start
        var open = 0
        while position < limit {
            switch TypeCode(rawValue: byte(position)) {
            case .array:
                position += 1
                continue
            case .structure, .dictionaryEntry: open += 1
            case .structureEnd, .dictionaryEntryEnd: open -= 1
            default: break
            }
            position += 1
            if open <= 0 { return position }
        }
        return limit
    }

    /// Returns whether bytes are exactly one complete type.
    static func isComplete(_ bytes: Span<UInt8>) -> Bool {
        let count = bytes.count
        return count <= maximumLength && endOfCompleteType(at: 0, before: count) { bytes[$0] } == count
    }

    /// Returns whether bytes are zero or more complete types.
    static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= maximumLength else { return false }
        var position = 0
        while position < bytes.count {
            guard let next = endOfCompleteType(at: position, before: bytes.count, byte: { bytes[$0] }) else {
                return false
            }
            position = next
        }
        return true
    }
}
