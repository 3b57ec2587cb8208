// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("updater.json: diffs and cleaned batches", .rule("UP-33...UP-42"))
struct UpdaterVectorTests {
    /// Records the updater's last diff and batch.
    final class Recorder: ListUpdaterDelegate {
        var diff: ListIndexSetResult?
        var batch: ListBatchUpdateData?
        var lines: [String] = []

        func adapter(_ adapter: ListAdapter, willDiffFrom old: [ListObject], to new: [ListObject]) {
            lines.append("will diff \(old.count) \(new.count)")
        }
        func adapter(_ adapter: ListAdapter, didDiff result: ListIndexSetResult, onBackgroundThread: Bool) {
            diff = result
            lines.append("did diff \(onBackgroundThread)")
        }
        func adapter(_ adapter: ListAdapter, willApply baseRevision: UInt64) { lines.append("will apply") }
        func adapter(_ adapter: ListAdapter, didApply batch: ListBatchUpdateData, as transaction: Transaction) {
            self.batch = batch
            lines.append("did apply")
        }
        func adapter(_ adapter: ListAdapter, didReload transaction: Transaction, isFallback: Bool) {
            lines.append("did reload \(isFallback)")
        }
        func adapterDidFinishWithoutUpdates(_ adapter: ListAdapter) { lines.append("nothing") }
    }

    static func objects(_ json: JSON?) throws -> [ListObject] {
        try (json?.array ?? []).map { object in
            let values = (object["value"]?.array ?? []).compactMap(\.integer)
            let text = values.map { String(UnicodeScalar(UInt8(65 + $0))) }.joined()
            return try letters("\(object["id"]?.string ?? ""):\(text)")
        }
    }

    static func cases() throws -> [JSON] { try Vectors.load("updater")["cases"]?.array ?? [] }

    @Test("a case of the test vector is compared → diff and batch are the expected ones", arguments: try cases())
    func vector(vector: JSON) throws {
        let list = try TestHost.letters(configure: {
            $0.preferItemReloads = vector["options"]?["prefer_item_reloads"]?.boolean == true
        })
        try list.update(Self.objects(vector["from"]))
        let recorder = Recorder()
        list.adapter.updaterDelegate = recorder
        try list.update(Self.objects(vector["to"]))
        let diff = try #require(recorder.diff)
        let expected = vector["expectedDiff"]
        if let inserts = expected?["inserts"]?.array { #expect(Array(diff.inserts) == inserts.compactMap(\.integer)) }
        if let deletes = expected?["deletes"]?.array { #expect(Array(diff.deletes) == deletes.compactMap(\.integer)) }
        if let first = expected?["updatesFirst"]?.integer { #expect(diff.updates.first == first) }
        if let first = expected?["insertsFirst"]?.integer { #expect(diff.inserts.first == first) }
        if let moves = expected?["moves"]?.array { #expect(Set(diff.moves) == Set(moves.map(Self.move))) }
        let batch = try #require(recorder.batch)
        let data = try #require(vector["expectedBatchData"])
        #expect(Array(batch.insertSections) == data["insertSections"]?.array?.compactMap(\.integer))
        #expect(Array(batch.deleteSections) == data["deleteSections"]?.array?.compactMap(\.integer))
        #expect(Set(batch.moveSections) == Set((data["moveSections"]?.array ?? []).map(Self.move)))
        #expect(batch.insertItems.isEmpty && batch.deleteItems.isEmpty && batch.moveItems.isEmpty)
        #expect(batch.updateItems.count == data["updateItems"]?.array?.count)
    }

    static func move(_ pair: JSON) -> ListMoveIndex {
        ListMoveIndex(from: pair[0]?.integer ?? -1, to: pair[1]?.integer ?? -1)
    }

    @Test(
        "an update has equal item counts, and item reloads are preferred → it has item updates without section changes",
        .rule("UP-35"))
    func itemReloads() throws {
        let list = try TestHost.letters("a:xy", configure: { $0.preferItemReloads = true })
        let recorder = Recorder()
        list.adapter.updaterDelegate = recorder
        let transaction = try list.update([letters("a:zw")]).transaction
        #expect(recorder.batch?.updateItems == [IndexPath(section: 0, item: 0), IndexPath(section: 0, item: 1)])
        #expect(recorder.batch?.deleteSections.isEmpty == true && recorder.batch?.insertSections.isEmpty == true)
        #expect(transaction?.items.reloads.count == 2 && transaction?.sections.isEmpty == true)
    }

    @Test(
        "a list has an updater delegate → its calls are in order, with own calls for no changes, fallback and reload",
        .rule("UP-59", "UP-63")
    )
    func events() throws {
        let list = try TestHost.letters(
            "a:x",
            configure: {
                $0.reloadThreshold = 2
                $0.backgroundDiffThreshold = 4
            })
        let recorder = Recorder()
        list.adapter.updaterDelegate = recorder
        try list.update([letters("a:x")])
        #expect(recorder.lines == ["will diff 1 1", "did diff false", "nothing"])
        recorder.lines = []
        try list.update([letters("a:x"), letters("b:y"), letters("c:z")])
        #expect(recorder.lines == ["will diff 1 3", "did diff true", "will apply", "did apply"])
        recorder.lines = []
        try list.update([letters("d:x"), letters("e:y")])
        #expect(recorder.lines == ["will diff 3 2", "did diff true", "will apply", "did reload true"])
        recorder.lines = []
        try list.perform(.reloadData)
        #expect(recorder.lines == ["will apply", "did reload false"])
    }
}
