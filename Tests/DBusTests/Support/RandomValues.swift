// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport

extension SeededRandom {
    /// Returns a random type, nested at most `depth` containers deep.
    mutating func signature(depth: Int, descriptors: Bool = false) -> String {
        let basic = "ybnqiuxtdsog".map(String.init)
        switch depth > 0 ? Int.random(in: 0..<8, using: &self) : 0 {
        case 4: return "a" + signature(depth: depth - 1)
        case 5: return "a{" + (pick(basic) ?? "s") + signature(depth: depth - 1) + "}"
        case 6:
            let members = (0..<Int.random(in: 1...3, using: &self)).map { _ in signature(depth: depth - 1) }
            return "(" + members.joined() + ")"
        case 7: return "v"
        default: return pick(basic) ?? "s"
        }
    }

    /// Returns a random value of the given type.
    mutating func value(of signature: Signature, depth: Int = 3) -> DBusValue {
        let inner = Signature.types(inside: signature)
        switch signature.firstCode {
        case .byte: return .byte(.random(in: .min ... .max, using: &self))
        case .boolean: return .boolean(.random(using: &self))
        case .int16: return .int16(.random(in: .min ... .max, using: &self))
        case .uint16: return .uint16(.random(in: .min ... .max, using: &self))
        case .int32: return .int32(.random(in: .min ... .max, using: &self))
        case .uint32: return .uint32(.random(in: .min ... .max, using: &self))
        case .int64: return .int64(.random(in: .min ... .max, using: &self))
        case .uint64: return .uint64(.random(in: .min ... .max, using: &self))
        case .double:
            return .double(pick([0, -0.5, 1e300, -1e-300, .infinity, .random(in: -1...1, using: &self)]) ?? 0)
        case .string: return .string(text())
        case .objectPath: return .objectPath(pick([.root, "/a", "/org/example/x_9"]) ?? .root)
        case .signature: return .signature(Signature.types(of: self.signature(depth: 2)))
        case .array where signature.text.hasPrefix("a{"): return dictionary(inner, depth)
        case .array:
            let count = Int.random(in: 0...3, using: &self)
            return .array(element: inner[0], (0..<count).map { _ in value(of: inner[0], depth: depth) })
        case .structure: return .structure(inner.map { value(of: $0, depth: depth) })
        default:
            let type = Signature.types(of: self.signature(depth: max(0, depth - 1)))
            return .variant(value(of: type, depth: depth - 1))
        }
    }

    private mutating func dictionary(_ types: [Signature], _ depth: Int) -> DBusValue {
        var entries: [DBusValue.Entry] = []
        for _ in 0..<Int.random(in: 0...3, using: &self) {
            let key = value(of: types[0])
            guard !entries.contains(where: { $0.key == key }) else { continue }
            entries.append(DBusValue.Entry(key: key, value: value(of: types[1], depth: depth)))
        }
        return .dictionary(key: types[0], value: types[1], entries)
    }

    private mutating func text() -> String {
        let scalars = ["a", "Z", "9", " ", "ä", "€", "😀", "\u{1}", "\u{7f}", "\u{fffe}", "'", "<"]
        return (0..<Int.random(in: 0...9, using: &self)).map { _ in pick(scalars) ?? "" }.joined()
    }
}

extension Signature {
    /// Parses the signature `text`, which must be valid.
    static func types(of text: String) -> Signature {
        guard let signature = try? Signature(text) else {
            preconditionFailure("the generator made an invalid signature: \(text)")
        }
        return signature
    }

    /// Returns the types of a container's contents.
    static func types(inside signature: Signature) -> [Signature] {
        let text = signature.text
        switch text.first {
        case "(": return types(of: String(text.dropFirst().dropLast())).types
        case "a" where text.hasPrefix("a{"): return types(of: String(text.dropFirst(2).dropLast())).types
        case "a": return [types(of: String(text.dropFirst()))]
        default: return []
        }
    }
}
