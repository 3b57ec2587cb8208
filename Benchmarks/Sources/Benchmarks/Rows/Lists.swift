// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// An old and a new list to compare, with identifiers like UUIDs. Their order depends on a seed.
struct Lists {
    let old: [Int]
    let new: [Int]

    /// The options of a list as listd makes it, where large changes are batches.
    static var configuration: ListOptions {
        var configuration = ListOptions()
        configuration.reloadThreshold = 0
        return configuration
    }

    /// Returns lists that differ by deletes, inserts and moves of single elements all over the list.
    static func churn(count: Int, deletes: Int, inserts: Int, shuffled: Int) -> Lists {
        var random = Numbers(seed: 1)
        let old = Array(0..<count)
        let gone = Set(old.shuffled(using: &random).prefix(deletes))
        var new = old.filter { !gone.contains($0) }
        let places = new.indices.shuffled(using: &random).prefix(shuffled)
        for (place, other) in zip(places, places.shuffled(using: &random)) { new.swapAt(place, other) }
        let come = Set((0..<count).shuffled(using: &random).prefix(inserts))
        var next = count
        new = new.enumerated().flatMap { index, element -> [Int] in
            guard come.contains(index) else { return [element] }
            next += 1
            return [next, element]
        }
        while next < count + inserts {
            next += 1
            new.append(next)
        }
        return Lists(old: old, new: new)
    }

    static func identifier(_ number: Int) -> String {
        var random = Numbers(seed: UInt64(number) &* 0x9E37_79B9)
        let (a, b) = (random.next(), random.next())
        func hex(_ value: UInt64, _ digits: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(0, digits - text.count)) + text.suffix(digits)
        }
        return "\(hex(a >> 32, 8))-\(hex(a >> 16, 4))-\(hex(a, 4))-\(hex(b >> 48, 4))-\(hex(b, 12))"
    }

    static func identifiers(_ numbers: [Int]) -> [String] { numbers.map { identifier($0) } }

    /// Returns an object with an identifier of 16 bytes and fields of 100 bytes.
    static func sizedObject(_ number: Int) -> ListObject {
        let digits = String(number)
        let id = String(repeating: "0", count: 16 - digits.count) + digits
        let text = String(repeating: "x", count: 85)
        let fields: Fields = ["n": .int64(Int64(number)), "t": .string(text)]
        guard let object = try? ListObject(id: id, type: "row", fields: fields) else { fatalError("\(id) is invalid") }
        return object
    }

    /// Returns objects that were allocated one by one in the order of the list, as by a decoder.
    static func objects(_ numbers: [Int], version: (Int) -> Int = { _ in 0 }) -> [ListObject] {
        numbers.compactMap { number in
            try? ListObject(id: identifier(number), type: "row", fields: ["value": .int64(Int64(version(number)))])
        }
    }
}

/// A random number generator whose numbers are determined by a seed (SplitMix64).
struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
