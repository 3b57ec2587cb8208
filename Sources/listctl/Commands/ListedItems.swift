// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// All items that the section controllers make for a list's objects.
struct ListedItems {
    private struct Item {
        let section: UInt32
        let objectID: String
        let item: UInt32
        let reuseIdentifier: String
        let content: Content
    }

    private let items: [Item]

    static let columns: [TextTable.Column] = [
        .init(title: "SECTION", isNumber: true), .init(title: "ID", role: { _ in .name }),
        .init(title: "ITEM", isNumber: true),
        .init(title: "REUSE", role: { _ in .name }),
    ]

    /// The number of attempts to read all items at the same revision.
    private static let maximumAttempts = 5

    /// Reads the items of a list in several calls. If the list changes between the calls, it starts over. After the
    /// last attempt, items of different revisions are accepted.
    @DBusActor
    init(of adapter: RemoteObject) async throws(DBusError) {
        var (items, section, first, attempt) = ([Item](), UInt32(0), UInt64?.none, 1)
        while true {
            typealias Row = DBusStruct<UInt32, String, UInt32, String, Content>
            let (revision, next, rows) = try await adapter.call(
                "GetItems", section, UInt32.max - section, [String](), returning: UInt64.self, UInt32.self, [Row].self)
            if let first, first != revision, attempt < Self.maximumAttempts {
                (items, section, attempt) = ([], 0, attempt + 1)
            } else {
                items += rows.map { row in
                    let (section, objectID, item, reuseIdentifier, content) = row.members
                    return Item(
                        section: section, objectID: objectID, item: item, reuseIdentifier: reuseIdentifier,
                        content: content)
                }
                guard next > section else { break }
                section = next
            }
            first = revision
        }
        self.items = items
    }

    var rows: ListedRows {
        ListedRows(count: items.count) { place throws(DBusError) in
            let item = items[place]
            return ContentTable.Row(
                leading: ["\(item.section)", item.objectID, "\(item.item)", item.reuseIdentifier], content: item.content
            )
        }
    }

    func printJSON() {
        for item in items {
            Output.writeJSON([
                "section": .uint32(item.section), "id": .string(item.objectID), "item": .uint32(item.item),
                "reuse": .string(item.reuseIdentifier), "content": item.content.value,
            ])
        }
    }
}
