// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@_spi(Daemon) @testable import ListKit

@Suite("The table of fields that built-in section controllers read")
struct BuiltInFieldTests {
    /// The rows of the manual page: key, type and default, by the place that each heading is about.
    private static func rowsOfManual() throws -> [BuiltInField.Place: [[String]]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "man/listd-controllers.5.scd"), encoding: .utf8)
        let places: [String: BuiltInField.Place] = [
            "# LISTD/SINGLE": .single, "# LISTD/BINDING": .binding, "## Items": .item,
            "## Header and footer": .supplementary, "## Inset": .inset,
        ]
        var rows: [BuiltInField.Place: [[String]]] = [:]
        var (place, row): (BuiltInField.Place?, [String]) = (nil, [])
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("#") { place = places[line] }
            guard let place else { continue }
            if line.hasPrefix("|  ") {
                row = [String(line.dropFirst(3))]
            } else if line.hasPrefix(":  "), row.count < 3 {
                row.append(String(line.dropFirst(3)))
                if row.count == 3 { rows[place, default: []].append(row) }
            }
        }
        return rows
    }

    @Test(
        "listd-controllers(5) is compared with the table → it has the same fields, types and defaults",
        .rule("BI-01"))
    func manual() throws {
        let rows = try Self.rowsOfManual()
        for place in BuiltInField.Place.allCases {
            let fields = BuiltInField.all.filter { $0.place == place }
            #expect(rows[place] == fields.map { [$0.key, $0.type, $0.standard] }, "\(place)")
        }
        #expect(BuiltInField.all.count == rows.values.map(\.count).reduce(0, +))
    }

    /// Returns an object with other fields, in which one field has a value; `nil` removes the field.
    private static func object(_ field: BuiltInField, _ value: Value?) throws -> ListObject {
        func put(_ fields: Fields) -> Fields {
            var fields = fields
            fields[field.key] = value
            return fields
        }
        func dictionary(_ fields: Fields) -> Value { Value(Dictionary(fields.map { ($0.key, $0.value) }) { $1 }) }
        // Two items in the first line, which has 2 points left, and one in the second.
        func item(_ id: String, _ width: Double) -> Fields {
            ["id": .string(id), "width": .double(width), "height": 10.0]
        }
        func binding(
            _ first: Fields = item("a", 60), header: Fields = ["height": 9.0, "width": 9.0],
            inset: Fields = ["top": 3.0]
        ) -> Fields {
            let items = [first, item("b", 38), item("c", 60)].map(dictionary)
            return [
                "items": .array(element: "a{sv}", items), "header": dictionary(header), "inset": dictionary(inset),
                "footer": ["height": 4.0, "width": 4.0],
            ]
        }
        let fields =
            switch field.place {
            case .single: put(["text": "x"])
            case .binding: put(binding())
            case .item: binding(put(item("a", 60)))
            case .supplementary: binding(header: put(["height": 9.0, "width": 9.0]))
            case .inset: binding(inset: put(["top": 3.0]))
            }
        return try ListObject(id: "o", type: field.place == .single ? "row" : "section", fields: fields)
    }

    /// What a view shows of an object, without the contents.
    private static func shown(_ object: ListObject, _ field: BuiltInField) throws -> [String] {
        let list = TestHost(names: ["section": BuiltInSectionControllers.binding]) {
            if ["x", "y", "z"].contains(field.key) { $0.layout = .absolute }
            if field.place == .supplementary, field.key == "width" { $0.direction = .horizontal }
        }
        list.adapter.presentation.collectLosses()
        try list.update([object])
        let losses = list.adapter.presentation.takeLosses()
        let items = try list.open().items.map { item in
            "\(item.kind) \(item.item) \(item.frame) \(item.z) \(item.reuseIdentifier)"
        }
        let content = try list.adapter.viewDescription(1).contentSize
        return items + ["content: \(content)"] + losses.map { "lost: \($0.reason) \($0.count) \($0.key)" }
    }

    @Test("a field has a value of its type → it is read", arguments: BuiltInField.all)
    func isRead(field: BuiltInField) throws {
        let value: Value =
            switch field.type {
            case "s": "other"
            case "number": .uint16(7)
            case "a{sv}": ["height": 5.0, "left": 5.0]
            default: .array(element: "v", [.variant(["id": "c"])])
            }
        let absent = try Self.shown(Self.object(field, nil), field)
        let present = try Self.shown(Self.object(field, value), field)
        #expect(present != absent, "\(present)")
        #expect(!present.contains { $0.hasPrefix("lost") })
    }

    @Test(
        "a field has a value of another type → it counts as absent, and is counted if the table says so",
        arguments: BuiltInField.all)
    func isReplaced(field: BuiltInField) throws {
        let wrong: [Value] = field.type == "number" ? ["7", .double(.nan), .double(.infinity)] : [.int64(7), true]
        let absent = try Self.shown(Self.object(field, nil), field).filter { !$0.hasPrefix("lost") }
        for value in wrong {
            let shown = try Self.shown(Self.object(field, value), field)
            #expect(shown.filter { !$0.hasPrefix("lost") } == absent, "\(value)")
            let lost = shown.filter { $0.hasPrefix("lost") }
            #expect(lost.count == (field.loss == nil ? 0 : 1), "\(value): \(lost)")
            if let loss = field.loss {
                #expect(lost.first?.hasPrefix("lost: \(loss) 1") == true && lost.first?.hasSuffix(field.key) == true)
            }
        }
    }

    @Test("a length is negative → it counts as 0; a place may be negative", arguments: BuiltInField.all)
    func isNegative(field: BuiltInField) throws {
        guard field.type == "number" else { return }
        let negative = try Self.shown(Self.object(field, -7), field)
        let zero = try Self.shown(Self.object(field, 0), field)
        #expect((negative == zero) == !["x", "y", "z"].contains(field.key))
        #expect(!negative.contains { $0.hasPrefix("lost") })
    }
}
