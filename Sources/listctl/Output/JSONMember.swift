// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Removes members of an object in a line of JSON, and leaves the rest as it was written.
enum JSONMember {
    /// The key that `show --json` adds to each object: its section.
    static let section = "section"

    /// The line without the members of a key; a line that is no object stays unchanged, for its reader to refuse.
    ///
    /// Keys are compared as written: one with an escape in it is another one.
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

    /// The place of the quotation mark that ends a string, or of the last byte when none does.
    private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
        var place = start + 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place, bytes.count - 1)
    }
}
