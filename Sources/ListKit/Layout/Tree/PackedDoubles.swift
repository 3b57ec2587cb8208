// SPDX-License-Identifier: Apache-2.0

/// A column of numbers, stored in the smallest type that represents all of them exactly. A column of equal numbers
/// stores the number once.
enum PackedDoubles: Sendable, Hashable {
    case same(Double)
    case floats([Float])
    case doubles([Double])

    /// Packs a column. An empty column reads as zeros.
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
