// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@_spi(Daemon) @testable import ListKit

@Suite("Maps between positions before and after updates")
struct PositionMapTests {
    /// Returns all combinations of removing elements from a list of `count` elements, reordering the rest and
    /// inserting new ones.
    private static func changes(of count: Int, inserts: Int) -> [[Int?]] {
        func orders(_ elements: [Int?]) -> [[Int?]] {
            guard let first = elements.first else { return [[]] }
            return orders(Array(elements.dropFirst())).flatMap { rest in
                (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
            }
        }
        return (0..<1 << count).flatMap { kept in
            orders(
                (0..<count).filter { kept & 1 << $0 != 0 }.map(Optional.some)
                    + [Int?](repeating: nil, count: inserts))
        }
    }

    /// Creates a map from new to old positions. All elements but the longest ascending prefix count as moved.
    private static func map(of count: Int, to origins: [Int?]) -> PositionMap {
        let kept = origins.compactMap { $0 }
        var moves: [(old: Int, new: Int)] = []
        var greatest = -1
        for (new, origin) in origins.enumerated() {
            guard let origin else { continue }
            if origin < greatest { moves.append((origin, new)) } else { greatest = origin }
        }
        return PositionMap(
            oldCount: count, deletes: (0..<count).filter { !kept.contains($0) },
            inserts: origins.indices.filter { origins[$0] == nil }, moves: moves)
    }

    @Test("a small change, or two successive ones, are mapped → the positions are those of plain arrays")
    func exhaustive() {
        let all = Self.changes(of: 3, inserts: 1)
        for first in all {
            let map = Self.map(of: 3, to: first)
            check(map, first, count: 3)
            check(map.inverted(), (0..<3).map { first.firstIndex(of: $0) }, count: first.count)
            for second in Self.changes(of: first.count, inserts: 1) where first.count < 4 {
                let next = Self.map(of: first.count, to: second)
                check(map.followed(by: next), second.map { $0.flatMap { first[$0] } }, count: 3)
            }
        }
    }

    private func check(_ map: PositionMap, _ origins: [Int?], count: Int) {
        #expect(map.oldCount == count && map.newCount == origins.count)
        let targets = (0..<count).map { old in origins.firstIndex { $0 == old } }
        for old in -1...count + 1 {
            let target = targets.indices.contains(old) ? targets[old] : nil
            #expect(map(old) == target)
            let next = (max(0, old)..<max(count, old, 0)).first { $0 < count && targets[$0] != nil }
            #expect(map.survivor(from: old)?.old == next)
            #expect(map.survivor(from: old)?.new == next.flatMap { targets[$0] })
            let last = (0..<max(0, min(count, old + 1))).last { targets[$0] != nil }
            #expect(map.survivor(upTo: old)?.old == last)
            #expect(map.survivor(upTo: old)?.new == last.flatMap { targets[$0] })
        }
        #expect(map.isIdentity == (count == origins.count && targets == (0..<count).map { $0 }))
    }

    @Test("a run of positions is invalid → it is ignored")
    func impossible() {
        let runs = [(0, 0, 2), (1, 5, 2), (4, 9, 2), (6, -1, 1), (3, 2, .max), (7, 7, 0)].map {
            PositionMap.Run(old: $0.0, new: $0.1, length: $0.2)
        }
        let map = PositionMap(oldCount: 8, newCount: 10, runs: runs)
        #expect(map.runs == [PositionMap.Run(old: 0, new: 0, length: 2)])
        #expect(PositionMap(oldCount: -3, newCount: -1).isIdentity)
    }

    @Test("500 updates each remove the first element and append one → the map has a single run")
    func compact() {
        var map = PositionMap(oldCount: 1000, newCount: 1000)
        for _ in 0..<500 {
            map = map.followed(
                by: PositionMap(oldCount: map.newCount, deletes: [0], inserts: [map.newCount - 1], moves: []))
        }
        #expect(map.runs == [PositionMap.Run(old: 500, new: 0, length: 500)])
    }

    @Test("changes of a list of unknown length are given as ranges → the positions are those of single changes")
    func endless() {
        let moves = [(old: 9, new: 1), (old: 2, new: 11)]
        let known = PositionMap(oldCount: 20, deletes: [3, 4, 5, 17], inserts: [0, 7, 8], moves: moves)
        let endless = PositionMap(removed: [17..<18, 3..<6], inserted: [7..<9, 0..<1], moves: moves)
        for old in 0..<20 { #expect(endless(old) == known(old)) }
        #expect(endless(1_000_000) == 999_999)
        #expect(endless.inverted()(999_999) == 1_000_000)
        #expect(PositionMap(removed: [], inserted: []).isIdentity)
    }
}
