import ListKit
import Testing

@Suite("ListBatchUpdateData")
struct BatchUpdateDataTests {
    @Test(
        "a case of IGListKit's tests → its cleaned batch (BU-01 … BU-22)",
        arguments: try DiffVectors.batchUpdateData.get().cases)
    func vectors(vector: BatchCase) {
        let data = ListBatchUpdateData(vector.input)
        if let derived = vector.derivedFromSource { #expect(data == ListBatchUpdateData(uncleaned: derived)) }
        let expected = vector.expected
        if let sections = expected.insertSections { #expect(Array(data.insertSections) == sections) }
        if let sections = expected.deleteSections { #expect(Array(data.deleteSections) == sections) }
        if let moves = expected.moveSections { #expect(data.moveSections.map { [$0.from, $0.to] } == moves) }
        if let items = expected.insertItems { #expect(data.insertItems.map { [$0.section, $0.item] } == items) }
        if let items = expected.deleteItems { #expect(data.deleteItems.map { [$0.section, $0.item] } == items) }
        if let count = expected.insertSectionsCount { #expect(data.insertSections.count == count) }
        if let count = expected.moveSectionsCount { #expect(data.moveSections.count == count) }
        if let count = expected.moveItemsCount { #expect(data.moveItems.count == count) }
    }

    @Test("a section move into a deleted index → stays (BU-09); onto an inserted one → dropped (BU-10)")
    func conflicts() {
        let stays = ListBatchUpdateData(deleteSections: [2], moveSections: [ListMoveIndex(from: 0, to: 2)])
        #expect(stays.moveSections == [ListMoveIndex(from: 0, to: 2)])
        let dropped = ListBatchUpdateData(insertSections: [3], moveSections: [ListMoveIndex(from: 0, to: 3)])
        #expect(dropped.moveSections.isEmpty)
        #expect(dropped.insertSections == [3])
        #expect(dropped.deleteSections.isEmpty)
    }

    @Test("several item changes in one moved section → one delete and insert, none of them left (BU-03 … BU-07, BU-20)")
    func converted() {
        let data = ListBatchUpdateData(
            moveSections: [ListMoveIndex(from: 1, to: 4), ListMoveIndex(from: 5, to: 0)],
            insertItems: [IndexPath(section: 4, item: 0), IndexPath(section: 1, item: 0)],
            deleteItems: [IndexPath(section: 1, item: 2), IndexPath(section: 1, item: 3)],
            updateItems: [IndexPath(section: 1, item: 1)],
            moveItems: [
                ListMoveIndexPath(from: IndexPath(section: 1, item: 5), to: IndexPath(section: 4, item: 6)),
                ListMoveIndexPath(from: IndexPath(section: 2, item: 0), to: IndexPath(section: 2, item: 1)),
            ])
        #expect(data.moveSections == [ListMoveIndex(from: 5, to: 0)])
        #expect(data.deleteSections == [1])
        #expect(data.insertSections == [4])
        #expect(data.insertItems == [IndexPath(section: 1, item: 0)])
        #expect(data.deleteItems.isEmpty)
        #expect(data.updateItems == [IndexPath(section: 1, item: 1)])
        #expect(data.moveItems.map(\.from.section) == [2])
    }

    @Test("an item move in a deleted section → dropped, the delete stays (BU-06)")
    func deletedSection() {
        let data = ListBatchUpdateData(
            deleteSections: [1],
            moveItems: [ListMoveIndexPath(from: IndexPath(section: 1, item: 0), to: IndexPath(section: 1, item: 1))])
        #expect(data.moveItems.isEmpty)
        #expect(data.deleteSections == [1])
    }
}

extension ListBatchUpdateData {
    init(_ data: BatchCase.Data) {
        self.init(
            insertSections: ListIndexSet(data.insertSections ?? []),
            deleteSections: ListIndexSet(data.deleteSections ?? []),
            moveSections: (data.moveSections ?? []).map { ListMoveIndex(from: $0[0], to: $0[1]) },
            insertItems: (data.insertItems ?? []).map { IndexPath(section: $0[0], item: $0[1]) },
            deleteItems: (data.deleteItems ?? []).map { IndexPath(section: $0[0], item: $0[1]) },
            updateItems: (data.updateItems ?? []).map { IndexPath(section: $0[0], item: $0[1]) },
            moveItems: (data.moveItems ?? []).map {
                ListMoveIndexPath(
                    from: IndexPath(section: $0[0][0], item: $0[0][1]), to: IndexPath(section: $0[1][0], item: $0[1][1])
                )
            })
    }

    /// A result that the vectors give in full; cleaning it again changes nothing, as only repeated paths could.
    init(uncleaned data: BatchCase.Data) { self.init(data) }
}
