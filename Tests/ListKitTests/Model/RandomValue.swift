// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport

/// Generates random values of every type.
enum RandomValue {
    /// Returns a random value that a D-Bus message can carry.
    static func make(_ random: inout SeededRandom, depth: Int = 3) -> Value {
        of(type(&random, depth: depth), &random, depth: depth)
    }

    /// Returns the signature of one random complete type.
    static func type(_ random: inout SeededRandom, depth: Int) -> String {
        let basic = ["y", "b", "n", "q", "i", "u", "x", "t", "d", "s", "o", "g"]
        let isBasic = depth == 0 || Bool.random(using: &random)
        if isBasic { return random.pick(basic) ?? "s" }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return "v"
        case 1: return "a" + type(&random, depth: depth - 1)
        case 2: return "a{" + (random.pick(basic) ?? "s") + type(&random, depth: depth - 1) + "}"
        case 3: return "a{sv}"
        default:
            let count = Int.random(in: 1...3, using: &random)
            return "(" + (0..<count).map { _ in type(&random, depth: depth - 1) }.joined() + ")"
        }
    }

    private static func text(_ random: inout SeededRandom) -> String {
        let letters = ["a", "b", "é", "語", "🎈", " ", "\u{7F}"]
        let count = random.chance(oneIn: 20) ? 200 : Int.random(in: 0..<6, using: &random)
        return (0..<count).map { _ in random.pick(letters) ?? "" }.joined()
    }

    /// Returns a random value of a type.
    static func of(_ type: String, _ random: inout SeededRandom, depth: Int = 0) -> Value {
        let bits = random.next()
        switch type.first {
        case "y": return .byte(UInt8(truncatingIfNeeded: bits))
        case "b": return .boolean(bits % 2 == 0)
        case "n": return .int16(Int16(truncatingIfNeeded: bits))
        case "q": return .uint16(UInt16(truncatingIfNeeded: bits))
        case "i": return .int32(Int32(truncatingIfNeeded: bits))
        case "u": return .uint32(UInt32(truncatingIfNeeded: bits))
        case "x": return .int64(Int64(truncatingIfNeeded: bits))
        case "t": return .uint64(bits)
        case "d": return .double(random.chance(oneIn: 4) ? .nan : Double(bitPattern: bits))
        case "s": return .string(text(&random))
        case "o": return .objectPath(random.pick(["/", "/a", "/a/b_1"]) ?? "/")
        case "g": return .signature(random.pick(["", "a{sv}", "(ii)s"]) ?? "")
        case "v": return .variant(make(&random, depth: max(0, depth - 1)))
        case "a": return array(String(type.dropFirst()), &random, depth: depth)
        default: return .structure(members(of: type.dropFirst().dropLast()).map { of($0, &random, depth: depth - 1) })
        }
    }

    private static func array(_ element: String, _ random: inout SeededRandom, depth: Int) -> Value {
        let count = Int.random(in: 0...3, using: &random)
        guard element.first == "{" else {
            return .array(element: element, (0..<count).map { _ in of(element, &random, depth: depth - 1) })
        }
        let (key, value) = (String(element.dropFirst().prefix(1)), String(element.dropFirst(2).dropLast()))
        var entries: [Value: Value] = [:]
        for _ in 0..<count { entries[of(key, &random, depth: 0)] = of(value, &random, depth: depth - 1) }
        return .dictionary(key: key, value: value, entries)
    }

    /// Splits a signature into its complete types.
    private static func members(of signature: Substring) -> [String] {
        var members: [String] = []
        var current = ""
        var open = 0
        for letter in signature {
            current.append(letter)
            if "({".contains(letter) { open += 1 }
            if ")}".contains(letter) { open -= 1 }
            if open == 0, letter != "a" {
                members.append(current)
                current = ""
            }
        }
        return members
    }
}
