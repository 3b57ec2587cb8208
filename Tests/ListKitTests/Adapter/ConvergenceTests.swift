// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Convergence: a client that applies all transactions has the same list")
struct ConvergenceTests {
    static let configurations: [@Sendable (inout ListOptions) -> Void] = [
        { _ in }, { $0.minimalMoves = true }, { $0.sectionMovesAsDeletesInserts = true },
        { $0.preferItemReloads = true },
        { $0.reloadThreshold = 4 }, { $0.singleItemSectionUpdates = true }, { $0.updater = .reload },
        {
            $0.stickyHeaders = true; $0.showHeaderWhenEmpty = true
        },
        {
            $0.direction = .horizontal; $0.emptyContent = ["text": "nothing"]
        },
    ]

    @Test(
        "random requests in random flushes → the list equals the reference, and the client's mirror equals the list",
        arguments: 0..<configurations.count)
    func mirror(configuration: Int) throws {
        for seed in 0..<3 as Range<UInt64> {
            var source = RandomList(seed: seed &* 7919 &+ UInt64(configuration))
            let list = TestHost(names: ["binding": "listd/binding"], configure: Self.configurations[configuration])
            var mirror = Mirror(list.adapter)
            var reference = ReferenceList(objects: [])
            for _ in 0..<40 {
                try flushSome(&source, list, &reference)
                for case .updated(let transaction) in list.takeEvents() {
                    try mirror.apply(transaction, from: list.adapter)
                }
                mirror.expectEqual(to: list.adapter)
                try #require(list.adapter.objects(from: 0, limit: .max) == reference.objects)
            }
        }
    }

    /// Queues some requests, flushes them together, and applies them to the reference too.
    func flushSome(_ source: inout RandomList, _ list: TestHost, _ reference: inout ReferenceList) throws {
        let base = list.adapter.revision
        var expected: [RequestID: ListError.Code?] = [:]
        let before = reference
        var hasChanged = false
        for _ in 0..<Int.random(in: 1...3, using: &source.random) {
            let operation = try source.operation()
            let expecting = source.random.chance(oneIn: 4) ? base : 0
            let id = list.enqueue(operation, expecting: expecting)
            if expecting != 0, hasChanged {
                expected[id] = .revisionConflict
                continue
            }
            let earlier = reference
            expected[id] = reference.apply(operation)
            hasChanged = hasChanged || reference != earlier
            // The reload updater announces every accepted write, even if the write changes nothing.
            if list.adapter.configuration.updater == .reload, operation.isWrite {
                hasChanged = hasChanged || expected[id] == .some(nil)
            }
            if case .reloadObjects(let ids) = operation {
                hasChanged = hasChanged || ids.contains { reference.index($0) != nil }
            }
            if case .reloadData = operation { hasChanged = true }
        }
        let answered = list.answers.count
        let result = list.flush()
        for answer in list.answers[answered...] {
            #expect(answer.errorCode == expected[answer.id] ?? nil)
        }
        if reference != before { #expect(result.transaction != nil) }
        #expect(list.adapter.revision == base + (result.transaction == nil ? 0 : 1))
    }
}

extension UpdateRequest.Operation {
    /// Whether the operation writes objects.
    fileprivate var isWrite: Bool {
        switch self {
        case .performUpdates, .applyChanges, .moveObject, .patchObject: true
        case .moveItem, .reloadObjects, .reloadData, .invalid, .configure: false
        }
    }
}
