// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport

/// A naive model of a list with views, in which every item has a unique number.
struct FollowedView {
    struct Section {
        let id: String
        let number: Int
        var items: [(id: String, number: Int)]
    }

    private(set) var sections: [Section] = []
    private var last = 0

    /// The numbers of all items, in order.
    var items: [Int] { sections.flatMap { $0.items.map(\.number) } }

    /// Replaces the list. Items with the same identifiers keep their numbers.
    mutating func update(to list: [(id: String, items: [String])]) {
        let before = Dictionary(uniqueKeysWithValues: sections.map { ($0.id, $0) })
        sections = list.map { id, items in
            let old = before[id]
            let known = Dictionary(uniqueKeysWithValues: (old?.items ?? []).map { ($0.id, $0.number) })
            return Section(
                id: id, number: old?.number ?? nextNumber(), items: items.map { ($0, known[$0] ?? nextNumber()) })
        }
    }

    private mutating func nextNumber() -> Int {
        last += 1
        return last
    }

    /// Returns the position of a path's item, clamped to its section. For an empty section, this is the position of
    /// the next or the previous item. Past the end of the list, each missing section counts as one position.
    func position(_ path: IndexPath, isLast: Bool = false) -> Int {
        if path.section >= sections.count { return items.count + path.section - sections.count }
        let offset = sections[..<path.section].reduce(0) { $0 + $1.items.count }
        let count = sections[path.section].items.count
        return count == 0 ? offset - (isLast ? 1 : 0) : offset + min(path.item, count - 1)
    }

    /// Returns the path of a position, which may be past the end of the list.
    func path(_ position: Int) -> IndexPath {
        let paths = sections.indices.flatMap { section in
            sections[section].items.indices.map { IndexPath(section: section, item: $0) }
        }
        return paths.indices.contains(position)
            ? paths[position] : IndexPath(section: sections.count + position - paths.count, item: 0)
    }

    /// Returns the items of the present list between two paths of the list `old`, as the contract defines.
    func rebased(_ first: IndexPath, _ last: IndexPath, in old: FollowedView) -> VisibleItems {
        let (begin, end) = (old.position(first), old.position(last, isLast: true))
        guard sections.map(\.number) != old.sections.map(\.number) || items != old.items else {
            guard end >= begin else { return VisibleItems(first: end < 0 ? first : path(end), length: 1) }
            return VisibleItems(first: first, length: end - begin + 1)
        }
        let before = old.items
        guard first.section < old.sections.count else {
            return VisibleItems(first: first, length: last.section - first.section + 1)
        }
        let excess = max(0, last.section - old.sections.count + 1)
        let range = begin..<max(begin, min(end + 1, before.count))
        let now = Dictionary(uniqueKeysWithValues: items.enumerated().map { ($1, $0) })
        let survivors = before[range].compactMap { now[$0] }
        if let one = survivors.first, let other = survivors.last {
            let (begin, end) = (min(one, other), max(one, other))
            return VisibleItems(first: path(begin), length: end - begin + 1 + excess)
        }
        let length = max(1, range.count + excess)
        if let after = before[range.upperBound...].compactMap({ now[$0] }).first {
            return VisibleItems(first: path(after), length: length)
        }
        return VisibleItems(first: path(max(0, items.count - length)), length: length)
    }

    /// Returns the positions of the shown items: the requested range, shifted into the list.
    func shownPositions(of wanted: VisibleItems) -> Range<Int> {
        let begin = max(0, min(position(wanted.first), items.count - wanted.length))
        return begin..<min(items.count, begin + wanted.length)
    }

    /// Returns the requested range after an update from the list `old`, moved with the items that it showed there.
    func movedRange(_ wanted: VisibleItems, from old: FollowedView, _ options: ListViewOptions) -> VisibleItems {
        let range = old.shownPositions(of: wanted)
        guard options.isAnchored, !range.isEmpty else { return wanted }
        if range.lowerBound == 0, !options.isAnchoredAtStart {
            return VisibleItems(first: IndexPath(section: 0, item: 0), length: wanted.length)
        }
        let now = Dictionary(uniqueKeysWithValues: items.enumerated().map { ($1, $0) })
        for (place, item) in old.items[range].enumerated() {
            guard let position = now[item] else { continue }
            let begin = max(0, min(position - place, items.count - wanted.length))
            return VisibleItems(first: path(begin), length: wanted.length)
        }
        return wanted
    }

    // MARK: Random lists

    /// Returns the list after some random changes of its items, its sections and their order.
    func randomlyChanged(_ random: inout SeededRandom) -> [(id: String, items: [String])] {
        var list = sections.map { ($0.id, $0.items.map(\.id)) }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = list.isEmpty ? 0 : Int.random(in: list.indices, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where !list.isEmpty: list.remove(at: place)
            case 1 where !list.isEmpty:
                list.insert(list.remove(at: place), at: Int.random(in: 0..<max(1, list.count), using: &random))
            case 2 where !list.isEmpty && random.chance(oneIn: 3):
                list.removeSubrange(place..<min(list.count, place + 5))
            case 3 where !list.isEmpty, 4 where !list.isEmpty: list[place].1 = Self.items(of: list[place].0, &random)
            default:
                let used = Set(list.map(\.0))
                guard let id = random.pick((0..<20).map { "o\($0)" }.filter { !used.contains($0) }) else { continue }
                list.insert((id, Self.items(of: id, &random)), at: random.chance(oneIn: 3) ? list.count : place)
            }
        }
        return list.map { (id: $0.0, items: $0.1) }
    }

    /// Returns random items of an object; every third object always has exactly one item.
    private static func items(of id: String, _ random: inout SeededRandom) -> [String] {
        if (Int(id.dropFirst()) ?? 0) % 3 == 0 { return ["0"] }
        return (0..<5).shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)).map { "i\($0)" }
    }

    /// Creates the object of a section.
    static func object(_ id: String, _ items: [String]) throws -> ListObject {
        let items = items.map { Value(["id": .string($0), "height": 10.0]) }
        return try ListObject(id: id, type: "binding", fields: ["items": .array(element: "a{sv}", items)])
    }
}
