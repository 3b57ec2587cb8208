// SPDX-License-Identifier: Apache-2.0

/// Full Unicode case folding, as statuses C and F of Unicode's `CaseFolding.txt` have it: `ß` and `ẞ` become `ss`, `ﬁ` becomes
/// `fi`; the dotless i of Turkish stays what it is. Nothing is normalised.
enum CaseFolding {
    /// The most bytes that one byte of text can become: `ΐ` has two, and folds to three scalars of two bytes each.
    static let mostBytesForOne = 3

    /// Appends folded text to a buffer, and returns its length in bytes.
    ///
    /// - Parameters:
    ///   - text: UTF-8; bytes that are none are copied.
    ///   - target: has room for ``mostBytesForOne`` times the text.
    /// - Complexity: O(count), with a table that the first text that is not ASCII makes.
    static func fold(_ text: Span<UInt8>, to target: UnsafeMutablePointer<UInt8>) -> Int {
        var (position, written) = (0, 0)
        while position < text.count {
            let byte = text[position]
            if byte < 0x80 {
                // The caller guarantees the room, here and below.
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

    /// Folds a letter of ASCII; every other byte stays what it is.
    @inline(__always)
    static func fold(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// The folding of one scalar.
    ///
    /// Unicode derives folding from the mappings of letters: folded is lower case of upper case. Cherokee folds to
    /// upper case, which is older there, and `ı`, whose upper case is that of `i`, stays.
    static func fold(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x131: return String(scalar)
        case 0x13A0...0x13FD, 0xAB70...0xABBF: return scalar.properties.uppercaseMapping
        default:
            // By way of lower case, as `ẞ` is its own upper case.
            let upper = scalar.properties.lowercaseMapping.unicodeScalars.map(\.properties.uppercaseMapping).joined()
            return upper.unicodeScalars.map(\.properties.lowercaseMapping).joined()
        }
    }

    private static func lengthOfScalar(beginningWith byte: UInt8) -> Int {
        byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    }

    private static let table = Table()

    /// The foldings of scalars, by pages of 256; most pages are the one of scalars that fold to themselves.
    private struct Table: Sendable {
        /// No scalar after these has a case.
        private static let end: UInt32 = 0x20000

        private var pages: [UInt8] = []
        /// Where the folded bytes begin, shifted to the left by four, and how many they are; 0 = the scalar itself.
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

        /// Where the bytes are that a scalar of two to four bytes folds to; nil = the scalar itself.
        func folded(_ scalar: Span<UInt8>) -> (start: Int, count: Int)? {
            var value = UInt32(scalar[0]) & (0x7F >> UInt32(scalar.count))
            for position in 1..<scalar.count { value = value << 6 | UInt32(scalar[position]) & 0x3F }
            guard value < Self.end else { return nil }
            let entry = Int(entries[Int(pages[Int(value >> 8)]) << 8 | Int(value & 0xFF)])
            return entry == 0 ? nil : (entry >> 4, entry & 0xF)
        }
    }
}
