// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("FollowedCopy: the objects of a list whose engine is in another process")
struct FollowedCopyTests {
    @Test(
        "random updates → the copy equals the list, and a view resumed with the copy shows what the list's view shows")
    func random() throws {
        var random = SeededRandom(seed: 41)
        for round in 0..<40 {
            let list = TestHost(try ViewTests.ids(0..<60))
            let copy = ObjectList(
                table: SectionTable(list.adapter.objects(from: 0, limit: .max)),
                numbers: RevisionNumbers(unstoredAt: 0), log: ChangeLog(), configuration: list.adapter.configuration)
            var options = ListViewOptions()
            (options.layout, options.isAnchoredAtStart) = (ListLayoutKind.none, round % 3 == 0)
            options.isAnchored = round % 4 != 0
            try list.adapter.openView(1, options: options)
            let first = Int.random(in: 0..<50, using: &random)
            let paths = (IndexPath(section: first, item: 0), IndexPath(section: first + 4, item: 0))
            _ = try list.adapter.setVisibleRange(view: 1, first: paths.0, last: paths.1)
            for _ in 0..<12 {
                let before = list.ids
                var state = try list.adapter.viewState(of: 1)
                let operation = try operation(before, &random)
                list.enqueue(operation)
                guard case .commit = list.adapter.beginFlush(now: 0) else { continue }
                list.receive(list.adapter.commitFlush())
                copy.enqueue(UpdateRequest(id: 1, operation: operation), now: 0)
                guard case .owner(.store) = copy.next(now: 0),
                    case .present(let update) = copy.finishStoring(.success(()), now: 0)
                else {
                    Issue.record("there is no update to present")
                    return
                }
                let map = update.positions(of: before.count)
                _ = copy.finishPresenting(Announcement(itemCount: 0))
                let objects = copy.table.objects(.new, in: 0..<copy.table.count(.new))
                #expect(objects.map(\.id) == list.ids)
                let after = Dictionary(uniqueKeysWithValues: list.ids.enumerated().map { ($1, $0) })
                for (old, id) in before.enumerated() { #expect(map(old) == after[id]) }
                #expect(map.oldCount == before.count && map.newCount == list.ids.count)
                state.follow(PathForwarding(sections: map))
                let other = TestHost(objects)
                _ = try other.adapter.resumeView(state)
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
