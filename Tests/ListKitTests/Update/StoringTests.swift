// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Change: a store that applies each update equals the list")
struct StoringTests {
    /// A store that applies each write.
    struct Store {
        var objects: [ListObject] = []

        mutating func write(_ change: Change) {
            if let all = change.whole {
                objects = all
                return
            }
            let removed = Set(change.removed.compactMap(\.object?.id))
            let placed = Set(change.placed.map(\.object.id))
            #expect(placed.isDisjoint(with: removed) && removed.count == change.removed.count)
            objects.removeAll { removed.contains($0.id) || placed.contains($0.id) }
            for object in change.updatedInPlace {
                guard let index = objects.firstIndex(where: { $0.id == object.id }) else {
                    Issue.record("the updated object does not exist")
                    continue
                }
                objects[index] = object
            }
            for (object, predecessor) in change.placed {
                let index = predecessor.map { before in objects.firstIndex { $0.id == before.id } } ?? -1
                guard let index else {
                    Issue.record("the predecessor does not exist")
                    continue
                }
                objects.insert(object, at: index + 1)
            }
        }
    }

    @Test(
        "requests are made at random → a store that applies each update has the list's objects",
        arguments: 0..<6)
    func equalsList(seed: Int) throws {
        var source = RandomList(seed: UInt64(seed) &+ 99, ids: seed < 3 ? 10 : 60)
        let list = TestHost(names: ["binding": "listd/binding"])
        var store = Store()
        for _ in 0..<120 {
            list.enqueue(try source.operation())
            list.enqueue(try source.operation())
            var step = list.adapter.beginFlush(now: 0)
            if case .diff(let job) = step { step = list.adapter.finishDiff(job.run()) }
            guard case .commit = step, let change = list.adapter.changeToStore else { continue }
            if source.random.chance(oneIn: 5) {
                let result = list.adapter.abortFlush(ListError(.storeFailed, "no"))
                #expect(result.answers.allSatisfy { $0.errorCode != nil })
            } else {
                store.write(change)
                let revision = list.adapter.revision
                #expect(list.adapter.commitFlush().transaction?.revision == revision + 1)
            }
            try #require(store.objects == list.adapter.objects(from: 0, limit: .max))
        }
    }
}
