// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("PreparedTransaction: a store that applies each transaction equals the list")
struct StoringTests {
    /// A store that applies each write.
    struct Store {
        var objects: [ListObject] = []

        mutating func write(_ content: PreparedTransaction.Content) {
            switch content {
            case .replace(let all): objects = all
            case .changes(let changes):
                let placed = Set(changes.placed.map(\.object.id))
                #expect(placed.isDisjoint(with: changes.removed))
                objects.removeAll { changes.removed.contains($0.id) || placed.contains($0.id) }
                for object in changes.updated {
                    guard let index = objects.firstIndex(where: { $0.id == object.id }) else {
                        Issue.record("the updated object does not exist")
                        continue
                    }
                    objects[index] = object
                }
                for placement in changes.placed {
                    let index = placement.predecessor.map { id in objects.firstIndex { $0.id == id } } ?? -1
                    guard let index else {
                        Issue.record("the predecessor does not exist")
                        continue
                    }
                    objects.insert(placement.object, at: index + 1)
                }
            }
        }
    }

    @Test(
        "requests are made at random → a store that applies each prepared transaction has the list's objects",
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
            guard case .commit(let prepared) = step else { continue }
            if source.random.chance(oneIn: 5) {
                let result = list.adapter.abortFlush(ListError(.storeFailed, "no"))
                #expect(result.answers.allSatisfy { $0.errorCode != nil })
            } else {
                store.write(prepared.content)
                #expect(list.adapter.commitFlush().transaction?.revision == prepared.revision)
            }
            try #require(store.objects == list.adapter.objects(from: 0, limit: .max))
        }
    }
}
