import ListKit
import TestSupport
import Testing

private typealias Snapshot = ListSectionSnapshot<Element, Element, String>

@Suite("Two-level diff")
struct SectionedDiffTests {
    /// Applies a result as a client does that holds the list before: sections first, then items, all positions at once.
    private static func apply(_ result: ListSectionedResult, to old: [Snapshot], new: [Snapshot]) -> [[Element]] {
        let mapping = ListIndexMapping(result.sections)
        let gone = Set(result.deleteItems + result.moveItems.map(\.from))
        let updated = Set(result.updateItems)
        return new.indices.map { target in
            guard let origin = mapping.oldIndex(forNew: target) else { return new[target].items }
            let stays = old[origin].items.indices.map { IndexPath(section: origin, item: $0) }.filter {
                !gone.contains($0)
            }
            var come: [Int: IndexPath?] = [:]
            for path in result.insertItems where path.section == target { come[path.item] = .some(nil) }
            for move in result.moveItems where move.to.section == target { come[move.to.item] = move.from }
            var rest = stays[...]
            return (0..<stays.count + come.count).map { index in
                let path = come[index] ?? rest.popFirst()
                guard let path, !updated.contains(path) else { return new[target].items[index] }
                return old[path.section].items[path.item]
            }
        }
    }

    /// Sections with items whose identifiers are unique in the whole list, and the same after some changes.
    private static func randomPair(_ random: inout SeededRandom) -> (old: [Snapshot], new: [Snapshot]) {
        func list(_ version: Int) -> [Snapshot] {
            var items = (0..<12).shuffled(using: &random).map {
                Element(id: $0, value: Int.random(in: 0..<8, using: &random) == 0 ? version : 0)
            }
            return (0..<5).shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)).map { id in
                let count = Int.random(in: 0...3, using: &random)
                defer { items.removeFirst(min(count, items.count)) }
                return Snapshot(
                    Element(id: id, value: Int.random(in: 0..<6, using: &random) == 0 ? version : 0),
                    items: Array(items.prefix(count)),
                    header: Int.random(in: 0..<4, using: &random) == 0 ? "header \(version)" : "header")
            }
        }
        return (list(0), list(1))
    }

    @Test("random sections with items → applied as one, they give the list after (U5, U7, U12)", arguments: 0..<20)
    func random(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<100 {
            let (old, new) = SectionedDiffTests.randomPair(&random)
            for isGlobal in [false, true] {
                let result = ListSectionedDiff.between(old, new, tracksItemsAcrossSections: isGlobal)
                #expect(SectionedDiffTests.apply(result, to: old, new: new) == new.map(\.items))
                let mapping = ListIndexMapping(result.sections)
                for (target, section) in new.enumerated() {
                    guard let origin = mapping.oldIndex(forNew: target) else { continue }
                    #expect(result.headers.contains(origin) == (old[origin].header != section.header))
                    #expect(result.sections.updates.contains(origin) == (old[origin].section != section.section))
                }
                #expect(result.footers.isEmpty)
            }
        }
    }

    @Test(
        "an item that goes to another section → a move between sections when identity is global, else delete and insert (U7)"
    )
    func acrossSections() {
        let item = Element(id: 7, value: 0)
        let (a, b) = (Element(id: 1, value: 0), Element(id: 2, value: 0))
        let old = [Snapshot(a, items: [item]), Snapshot(b, items: [])]
        let new = [Snapshot(b, items: [Element(id: 7, value: 1)]), Snapshot(a, items: [])]
        let separate = ListSectionedDiff.between(old, new)
        #expect(separate.deleteItems == [IndexPath(section: 0, item: 0)])
        #expect(separate.insertItems == [IndexPath(section: 0, item: 0)])
        let global = ListSectionedDiff.between(old, new, tracksItemsAcrossSections: true)
        #expect(
            global.moveItems
                == [ListMoveIndexPath(from: IndexPath(section: 0, item: 0), to: IndexPath(section: 0, item: 0))])
        #expect(global.updateItems == [IndexPath(section: 0, item: 0)])
        #expect(global.deleteItems.isEmpty && global.insertItems.isEmpty)
    }

    @Test("a section whose own content alone differs → a reload; with changed items → only item entries")
    func reloads() {
        let (before, after) = (Element(id: 1, value: 0), Element(id: 1, value: 1))
        let items = [Element(id: 5, value: 0)]
        let alone = ListSectionedDiff.between([Snapshot(before, items: items)], [Snapshot(after, items: items)])
        #expect(alone.reloadSections == [0])
        #expect(alone.batchUpdateData().deleteSections == [0])
        #expect(alone.batchUpdateData().insertSections == [0])
        let inside = ListSectionedDiff.between([Snapshot(before, items: items)], [Snapshot(after, items: [])])
        #expect(inside.reloadSections.isEmpty)
        #expect(inside.batchUpdateData().deleteItems == [IndexPath(section: 0, item: 0)])
        let footer = ListSectionedDiff.between(
            [Snapshot(before, items: items)], [Snapshot(before, items: items, footer: "new")])
        #expect(footer.footers == [0])
        #expect(footer.hasChanges)
    }
}
