// SPDX-License-Identifier: Apache-2.0

/// A column of numbers in the fewest bytes that represent them exactly; none when they are all the same.
enum PackedDoubles: Sendable, Hashable {
    case same(Double)
    case floats([Float])
    case doubles([Double])

    /// Packs a column; an empty one is all zeros.
    init(_ values: [Double]) {
        let first = values.first ?? 0
        if values.allSatisfy({ $0 == first }) {
            self = .same(first)
        } else if values.allSatisfy({ Double(Float($0)) == $0 }) {
            self = .floats(values.map { Float($0) })
        } else {
            self = .doubles(values)
        }
    }

    subscript(index: Int) -> Double {
        switch self {
        case .same(let value): value
        case .floats(let values): Double(values[index])
        case .doubles(let values): values[index]
        }
    }
}
