// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

/// One case of `Tests/Vectors`, restated from IGListKit's tests.
struct VectorCase: Sendable, CustomTestStringConvertible {
    let json: JSON

    var testDescription: String { json["name"]?.string ?? "?" }

    /// The cases of a file.
    static func load(_ name: String, _ key: String = "cases") throws -> [VectorCase] {
        try (Vectors.load(name)[key]?.array ?? []).map { VectorCase(json: $0) }
    }
}

extension JSON {
    /// An array of numbers, nil for anything else.
    var integers: [Int]? { array?.compactMap(\.integer) }

    /// An array of pairs or longer rows of numbers.
    var rows: [[Int]]? { array?.compactMap(\.integers) }

    /// An identifier or a value as text that differs for a number and a string.
    var scalar: String { string.map { "text \($0)" } ?? "number \(number ?? .nan)" }

    /// A path, as `[section, item]`.
    var path: IndexPath? {
        guard let numbers = integers, numbers.count == 2 else { return nil }
        return IndexPath(section: numbers[0], item: numbers[1])
    }

    /// A list of paths; empty when it is not there.
    var paths: [IndexPath] { array?.compactMap(\.path) ?? [] }

    /// A list of moves between indexes; empty when it is not there.
    var moves: [ListMoveIndex] { (rows ?? []).map { ListMoveIndex(from: $0[0], to: $0[1]) } }

    /// A list of moves between paths; empty when it is not there.
    var pathMoves: [ListMoveIndexPath] {
        (array ?? []).compactMap { move in
            guard let from = move[0]?.path, let to = move[1]?.path else { return nil }
            return ListMoveIndexPath(from: from, to: to)
        }
    }
}
