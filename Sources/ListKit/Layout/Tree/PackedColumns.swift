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

/// A column of integers, stored in the smallest type that can hold all of them. A column of equal integers stores the
/// integer once.
///
/// A million rows of the same width and different heights take four bytes each.
enum PackedIntegers: Sendable, Hashable {
    case same(Int64)
    case bytes([UInt8])
    case narrow([Int32])
    case wide([Int64])

    /// Packs a column. An empty column reads as zeros.
    init(_ values: ArraySlice<Int64>) {
        guard let first = values.first else {
            self = .same(0)
            return
        }
        var (low, high) = (first, first)
        for value in values {
            low = min(low, value)
            high = max(high, value)
        }
        if low == high {
            self = .same(first)
        } else if low >= 0, high <= Int64(UInt8.max) {
            self = .bytes(values.map { UInt8(truncatingIfNeeded: $0) })
        } else if low >= Int64(Int32.min), high <= Int64(Int32.max) {
            self = .narrow(values.map { Int32(truncatingIfNeeded: $0) })
        } else {
            self = .wide(Array(values))
        }
    }

    /// Returns whether both columns consist of one repeated integer, which is the same in both.
    func repeatsSameInteger(as other: PackedIntegers) -> Bool {
        if case .same(let value) = self, case .same(value) = other { true } else { false }
    }

    subscript(index: Int) -> Int64 {
        switch self {
        case .same(let value): value
        case .bytes(let values): Int64(values[index])
        case .narrow(let values): Int64(values[index])
        case .wide(let values): values[index]
        }
    }
}
