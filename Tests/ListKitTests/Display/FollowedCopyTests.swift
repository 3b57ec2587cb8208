@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("A copy of a list that follows what is stored")
struct FollowedCopyTests {
    @Test("random updates → where the copy says that objects went; a view that no engine told goes where it would go")
    func random() throws {
        var random = SeededRandom(seed: 41)
        for round in 0..<40 {
            let list = TestHost(try ViewTests.ids(0..<60))
            var copy = ListSnapshot(list.adapter.objects(from: 0, limit: .max))
            var options = ListViewOptions()
            (options.layout, options.isAnchoredAtStart) = (ListLayoutKind.none, round % 3 == 0)
            options.isAnchored = round % 4 != 0
            try list.adapter.openView(1, options: options)
            let first = Int.random(in: 0..<50, using: &random)
            let paths = (IndexPath(section: first, item: 0), IndexPath(section: first + 4, item: 0))
            _ = try list.adapter.setVisibleRange(view: 1, first: paths.0, last: paths.1)
            for _ in 0..<12 {
                let before = list.ids
                var resumption = try list.adapter.resumption(of: 1)
                list.enqueue(try operation(before, &random))
                guard case .commit(let prepared) = list.adapter.beginFlush(now: 0) else { continue }
                let map = copy.applyFollowing(prepared.content)
                list.take(list.adapter.commitFlush())
                #expect(copy.objects.map(\.id) == list.ids)
                let after = Dictionary(uniqueKeysWithValues: list.ids.enumerated().map { ($1, $0) })
                for (old, id) in before.enumerated() { #expect(map(old) == after[id]) }
                #expect(map.oldCount == before.count && map.newCount == list.ids.count)
                resumption.follow(PathForwarding(sections: map))
                let other = TestHost(copy.objects)
                _ = try other.adapter.resumeView(resumption)
                #expect(
                    try other.adapter.viewDescription(1).visibleObjects
                        == list.adapter.viewDescription(1).visibleObjects)
            }
        }
    }

    private func operation(_ ids: [String], _ random: inout SeededRandom) throws -> UpdateRequest.Operation {
        let id = random.pick(ids) ?? ""
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            let removed = ids.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
            let new = "n\(Int.random(in: 0..<1 << 40, using: &random))"
            return .applyChanges(
                removed: Array(removed), upserts: [.init(try ListObject(id: new), position: .before(id))])
        case 1: return .moveObject(id: id, position: Bool.random(using: &random) ? .first : .last)
        case 2: return .patchObject(id: id, set: ["n": .int64(Int64.random(in: 0...9, using: &random))], unset: [])
        case 3: return .performUpdates(objects: try ids.shuffled(using: &random).map { try ListObject(id: $0) })
        default:
            return .applyChanges(removed: [], upserts: [.init(try ListObject(id: id + "x"), position: .first)])
        }
    }
}
