// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The removal of members from an object in a line of JSON, which leaves the rest as it was written.
enum JSONMember {
    /// The key with the object's section, which `show --json` adds to each object.
    static let section = "section"

    /// Returns the line without the members of a key.
    ///
    /// A line that is no object stays unchanged; the reader of the line reports the error. Keys are compared as
    /// written: a key that is written with an escape does not match.
    static func removing(_ key: String, from line: Data) -> Data {
        let bytes = Array(line)
        var members: [Range<Int>] = []
        var (depth, start, place) = (0, 0, 0)
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""): place = endOfString(bytes, from: place)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth == 1 { start = place + 1 }
            case UInt8(ascii: ","):
                guard depth == 1 else { break }
                members.append(start..<place)
                start = place + 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { members.append(start..<place) }
            default: break
            }
            place += 1
        }
        let quoted = Array("\"\(key)\"".utf8)
        let kept = members.filter { !bytes[$0].drop { $0 <= 0x20 }.starts(with: quoted) }
        guard kept.count < members.count, let first = members.first, let last = members.last else { return line }
        let body = kept.map { bytes[$0] }.joined(separator: [UInt8(ascii: ",")])
        return Data(bytes[..<first.lowerBound] + body + bytes[last.upperBound...])
    }

    /// Returns the index of the quotation mark that ends a string, or of the last byte when the string does not end.
    private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
        var place = start + 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place, bytes.count - 1)
    }
}
