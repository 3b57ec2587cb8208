// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("ListBatchUpdateData")
struct BatchUpdateDataTests {
    @Test(
        "a batch of an IGListKit test is cleaned → the result is the one that IGListKit expects",
        .rule("BU-01...BU-22"),
        arguments: try VectorCase.load("batch_update_data"))
    func vectors(vector: VectorCase) throws {
        let data = ListBatchUpdateData(try #require(vector.json["input"]))
        // The initializer cleans the expected batch too, which changes nothing because that batch is clean already.
        #expect(data == ListBatchUpdateData(try #require(vector.json["derivedFromSource"])))
        let expected = try #require(vector.json["expected"])
        if let sections = expected["insertSections"]?.integers { #expect(Array(data.insertSections) == sections) }
        if let sections = expected["deleteSections"]?.integers { #expect(Array(data.deleteSections) == sections) }
        if let moves = expected["moveSections"]?.moves { #expect(data.moveSections == moves) }
        if let items = expected["insertItems"]?.paths { #expect(data.insertItems == items) }
        if let items = expected["deleteItems"]?.paths { #expect(data.deleteItems == items) }
        if let count = expected["insertSectionsCount"]?.integer { #expect(data.insertSections.count == count) }
        if let count = expected["moveSectionsCount"]?.integer { #expect(data.moveSections.count == count) }
        if let count = expected["moveItemsCount"]?.integer { #expect(data.moveItems.count == count) }
    }

    @Test(
        "a section moves to a deleted index → the move is kept; to an inserted index → the move is dropped",
        .rule("BU-09", "BU-10"))
    func conflicts() {
        let stays = ListBatchUpdateData(deleteSections: [2], moveSections: [ListMoveIndex(from: 0, to: 2)])
        #expect(stays.moveSections == [ListMoveIndex(from: 0, to: 2)])
        let dropped = ListBatchUpdateData(insertSections: [3], moveSections: [ListMoveIndex(from: 0, to: 3)])
        #expect(dropped.moveSections.isEmpty)
        #expect(dropped.insertSections == [3])
        #expect(dropped.deleteSections.isEmpty)
    }

    @Test(
        "a section moves and its items change → a delete and an insert of the section replace the move",
        .rule("BU-03...BU-07", "BU-20"))
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

    @Test("an item move in a deleted section → the move is dropped, the delete kept", .rule("BU-06"))
    func deletedSection() {
        let data = ListBatchUpdateData(
            deleteSections: [1],
            moveItems: [ListMoveIndexPath(from: IndexPath(section: 1, item: 0), to: IndexPath(section: 1, item: 1))])
        #expect(data.moveItems.isEmpty)
        #expect(data.deleteSections == [1])
    }
}

extension ListBatchUpdateData {
    init(_ json: JSON) {
        self.init(
            insertSections: ListIndexSet(json["insertSections"]?.integers ?? []),
            deleteSections: ListIndexSet(json["deleteSections"]?.integers ?? []),
            moveSections: json["moveSections"]?.moves ?? [], insertItems: json["insertItems"]?.paths ?? [],
            deleteItems: json["deleteItems"]?.paths ?? [], updateItems: json["updateItems"]?.paths ?? [],
            moveItems: json["moveItems"]?.pathMoves ?? [])
    }
}
