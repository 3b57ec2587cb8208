// SPDX-License-Identifier: Apache-2.0

/// Full Unicode case folding, with the mappings of status C and F in Unicode's `CaseFolding.txt`: `ß` and `ẞ` become
/// `ss`, `ﬁ` becomes `fi`, and the dotless i of Turkish is not changed. Text is not normalised.
enum CaseFolding {
    /// The maximum number of bytes that one byte of text can fold to: `ΐ` has two bytes, and folds to three scalars
    /// of two bytes each.
    static let maximumGrowth = 3

    /// Writes folded text to a buffer and returns its length in bytes.
    ///
    /// - Parameters:
    ///   - text: UTF-8. Malformed bytes are copied unchanged.
    ///   - target: a buffer with room for ``maximumGrowth`` times the length of the text.
    /// - Complexity: O(count). The first text that is not ASCII also builds the table.
    static func fold(_ text: Span<UInt8>, to target: UnsafeMutablePointer<UInt8>) -> Int {
        var (position, written) = (0, 0)
        while position < text.count {
            let byte = text[position]
            if byte < 0x80 {
                // The caller guarantees that `target` has room, here and below.
                unsafe target[written] = fold(byte)
                written += 1
                position += 1
                continue
            }
            let length = min(lengthOfScalar(beginningWith: byte), text.count - position)
            let folded = length > 1 ? table.folded(text.extracting(position..<position + length)) : nil
            if let folded {
                for part in 0..<folded.count {
                    unsafe target[written] = table.bytes[folded.start + part]
                    written += 1
                }
            } else {
                for part in 0..<length {
                    unsafe target[written] = text[position + part]
                    written += 1
                }
            }
            position += length
        }
        return written
    }

    /// Returns an ASCII letter in lower case, and every other byte unchanged.
    @inline(__always)
    static func fold(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// Returns the folding of one scalar.
    ///
    /// Unicode derives folding from case mappings: the folding is the lower case of the upper case. Cherokee folds to
    /// upper case, which is the older case of that script. `ı` is not changed, although its upper case is that of
    /// `i`.
    static func fold(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x131: return String(scalar)
        case 0x13A0...0x13FD, 0xAB70...0xABBF: return scalar.properties.uppercaseMapping
        default:
            // The scalar is lower-cased first, because `ẞ` is its own upper case.
            let upper = scalar.properties.lowercaseMapping.unicodeScalars.map(\.properties.uppercaseMapping).joined()
            return upper.unicodeScalars.map(\.properties.lowercaseMapping).joined()
        }
    }

    private static func lengthOfScalar(beginningWith byte: UInt8) -> Int {
        byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    }

    private static let table = Table()

    /// A table of the foldings of all scalars, in pages of 256. Most pages share the one page of scalars that fold to
    /// themselves.
    private struct Table: Sendable {
        /// The end of the table: no scalar from this value on has a case.
        private static let end: UInt32 = 0x20000

        private var pages: [UInt8] = []
        /// For each scalar, the offset of its folding in `bytes`, shifted left by four, and the length of the folding
        /// in the lower four bits; 0 if the scalar folds to itself.
        private var entries: [UInt32]
        private(set) var bytes: [UInt8] = []

        init() {
            entries = Array(repeating: 0, count: 256)
            for page in 0..<Self.end >> 8 {
                let folded = (0..<256).map { Unicode.Scalar(page << 8 | $0).map { entry(for: $0) } ?? 0 }
                if folded.allSatisfy({ $0 == 0 }) {
                    pages.append(0)
                } else {
                    pages.append(UInt8(entries.count >> 8))
                    entries += folded
                }
            }
        }

        private mutating func entry(for scalar: Unicode.Scalar) -> UInt32 {
            let folded = CaseFolding.fold(scalar)
            if folded.unicodeScalars.elementsEqual([scalar]) { return 0 }
            let start = bytes.count
            bytes += folded.utf8
            return UInt32(start << 4 | folded.utf8.count)
        }

        /// Returns the offset and the length in `bytes` of the folding of a scalar of two to four bytes; nil if the
        /// scalar folds to itself.
        func folded(_ scalar: Span<UInt8>) -> (start: Int, count: Int)? {
            var value = UInt32(scalar[0]) & (0x7F >> UInt32(scalar.count))
            for position in 1..<scalar.count { value = value << 6 | UInt32(scalar[position]) & 0x3F }
            guard value < Self.end else { return nil }
            let entry = Int(entries[Int(pages[Int(value >> 8)]) << 8 | Int(value & 0xFF)])
            return entry == 0 ? nil : (entry >> 4, entry & 0xF)
        }
    }
}
