// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import TestSupport

/// A generator of random values of given types, often at the limits of the allowed range.
struct RandomArguments {
    private var random: SeededRandom
    /// Texts that are valid for the daemon, so that some calls pass the first check.
    private let words: [String]

    init(seed: UInt64, words: [String]) {
        random = SeededRandom(seed: seed)
        self.words = words
    }

    /// Returns a value for each complete type of a body's signature.
    mutating func values(of signature: Signature) -> [DBusValue] {
        signature.types.map { value(of: $0, depth: 0) }
    }

    private mutating func value(of type: Signature, depth: Int) -> DBusValue {
        switch type.text.utf8.first.map({ Character(UnicodeScalar($0)) }) {
        case "y": return .byte(UInt8(truncatingIfNeeded: bits()))
        case "b": return .boolean(random.chance(oneIn: 2))
        case "n": return .int16(Int16(truncatingIfNeeded: bits()))
        case "q": return .uint16(UInt16(truncatingIfNeeded: bits()))
        case "i": return .int32(Int32(truncatingIfNeeded: bits()))
        case "u": return .uint32(UInt32(truncatingIfNeeded: bits()))
        case "x": return .int64(Int64(bitPattern: bits()))
        case "t": return .uint64(bits())
        case "d": return .double(random.pick(Self.doubles) ?? 0)
        case "o": return .objectPath("/org/listd/Listd1/views/1")
        case "h": return .fileDescriptor(FileDescriptor(adopting: unsafe open("/dev/null", O_RDWR | O_CLOEXEC)))
        case "v": return .variant(variant(depth: depth))
        case "a": return array(of: type, depth: depth)
        case "(":
            let members = (try? Signature(String(type.text.dropFirst().dropLast())))?.types ?? []
            return .structure(members.map { value(of: $0, depth: depth + 1) })
        default: return .string(text())
        }
    }

    private mutating func array(of type: Signature, depth: Int) -> DBusValue {
        let element = String(type.text.dropFirst())
        let count = depth > 2 ? 1 : Int(random.next() % 4)
        guard element.hasPrefix("{"), let pair = try? Signature(String(element.dropFirst().dropLast())).types,
            pair.count == 2
        else {
            guard let inner = try? Signature(element) else { return .strings([]) }
            return .array(element: inner, (0..<count).map { _ in value(of: inner, depth: depth + 1) })
        }
        return .dictionary(
            key: pair[0], value: pair[1],
            (0..<count).map { _ in
                DBusValue.Entry(key: value(of: pair[0], depth: depth + 1), value: value(of: pair[1], depth: depth + 1))
            })
    }

    private mutating func variant(depth: Int) -> DBusValue {
        let types: [Signature] = ["s", "u", "b", "d", "x", "as", "av", "a{sv}", "(su)", "ay", "aa{sv}"]
        return value(of: random.pick(depth > 4 ? ["s", "u", "d"] : types) ?? "s", depth: depth + 1)
    }

    private mutating func bits() -> UInt64 {
        random.pick([0, 1, 2, 255, 0x7fff_ffff, 0xffff_ffff, UInt64(Int64.max), .max, random.next()]) ?? 0
    }

    private mutating func text() -> String {
        switch random.next() % 6 {
        case 0: ""
        case 1: String(repeating: "ä", count: Int(random.next() % 3000))
        case 2: "\u{1}\u{7f}\u{2028}/../%s\"'"
        default: random.pick(words) ?? ""
        }
    }

    private static let doubles = [
        0, 1, -1, 44, 1e9, 1e300, -1e300, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ]
}
