// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

/// One case of `Tests/Vectors`, taken from IGListKit's tests.
struct VectorCase: Sendable, CustomTestStringConvertible {
    let json: JSON

    var testDescription: String { json["name"]?.string ?? "?" }

    /// Loads the cases of a file.
    static func load(_ name: String, _ key: String = "cases") throws -> [VectorCase] {
        try (Vectors.load(name)[key]?.array ?? []).map { VectorCase(json: $0) }
    }
}

extension JSON {
    /// The elements of an array of whole numbers; `nil` for other values.
    var integers: [Int]? { array?.compactMap(\.integer) }

    /// The elements of an array of arrays of whole numbers; `nil` for other values.
    var rows: [[Int]]? { array?.compactMap(\.integers) }

    /// An identifier or a value as text, which distinguishes numbers from strings.
    var scalar: String { string.map { "text \($0)" } ?? "number \(number ?? .nan)" }

    /// The path `[section, item]`.
    var path: IndexPath? {
        guard let numbers = integers, numbers.count == 2 else { return nil }
        return IndexPath(section: numbers[0], item: numbers[1])
    }

    /// A list of paths; empty if it is missing.
    var paths: [IndexPath] { array?.compactMap(\.path) ?? [] }

    /// A list of moves between indexes; empty if it is missing.
    var moves: [ListMoveIndex] { (rows ?? []).map { ListMoveIndex(from: $0[0], to: $0[1]) } }

    /// A list of moves between paths; empty if it is missing.
    var pathMoves: [ListMoveIndexPath] {
        (array ?? []).compactMap { move in
            guard let from = move[0]?.path, let to = move[1]?.path else { return nil }
            return ListMoveIndexPath(from: from, to: to)
        }
    }
}
