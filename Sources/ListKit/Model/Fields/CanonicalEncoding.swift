// SPDX-License-Identifier: Apache-2.0

/// The canonical encoding of fields: each content has exactly one sequence of bytes, so that equality is `memcmp`.
///
///     fields     = entry*                          keys strictly ascending
///     entry      = text variant                    the key, then the value
///     variant    = type value                      type: the letters of one complete D-Bus type; its grammar says where it ends
///     text       = varint(count) byte*             s: UTF-8 without NUL; o: a valid path; g: a valid signature
///     array      = varint(byte count) value*       a…, except a{…}
///     dictionary = varint(byte count) (key value)* a{…}, keys strictly ascending
///     structure  = value+
///     number     = 1 (y, b), 2 (n, q), 4 (i, u) or 8 (x, t, d) bytes, little-endian
///     varint     = 7 bits a byte, lowest first, high bit = more follows; the shortest form, at most 32 bits
///
/// Nothing is aligned. A boolean is 0 or 1; every NaN is 7FF8000000000000. Keys are compared byte by byte, without their
/// counts: text by its UTF-8, numbers by their little-endian bytes. Repeated keys do not occur (of repeated keys in the input
/// the last one is kept). A value lies inside at most 32 containers, where an array, a dictionary entry, a structure and a
/// variant count one each, and the entry and the variant of the fields themselves do not count.
enum CanonicalEncoding {
    /// The maximum number of containers inside each other in the value of a field (the D-Bus contract, "Depth").
    static let maximumDepth = 32

    /// The maximum length of fields in bytes. With it every offset fits into 32 bits.
    static let maximumByteCount = Int(Int32.max)

    /// Appends a count in its shortest form.
    static func append(varint number: Int, to bytes: inout [UInt8]) {
        var rest = UInt32(truncatingIfNeeded: number)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a count and moves `position` past it. Returns nil when the count is cut off, too large or not in its
    /// shortest form.
    static func readVarint(in bytes: Span<UInt8>, at position: inout Int, end: Int) -> Int? {
        var result = 0
        var shift = 0
        while position < end, shift <= 28 {
            let byte = bytes[position]
            position += 1
            result |= Int(byte & 0x7F) << shift
            if byte < 0x80 {
                let isShortest = byte != 0 || shift == 0
                return isShortest && result <= maximumByteCount ? result : nil
            }
            shift += 7
        }
        return nil
    }

    /// Compares two runs of bytes: negative if `first` comes first, 0 if they are equal. The first differing byte
    /// decides; if there is none, the shorter run comes first.
    static func compare(_ first: Range<Int>, _ second: Range<Int>, in bytes: Span<UInt8>) -> Int {
        var (a, b) = (first.lowerBound, second.lowerBound)
        while a < first.upperBound, b < second.upperBound {
            let difference = Int(bytes[a]) - Int(bytes[b])
            if difference != 0 { return difference }
            a += 1
            b += 1
        }
        return first.count - second.count
    }
}
