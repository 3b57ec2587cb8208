// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("Fields")
struct FieldsTests {
    @Test("two fields have the same keys in another order → they are equal")
    func order() throws {
        let one: Fields = ["b": 1, "a": "x", "c": true]
        let other: Fields = ["c": true, "a": "x", "b": 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one.keys == ["a", "b", "c"])
        #expect(one.count == 3)
    }

    @Test("a key is repeated → its last value is used")
    func repeatedKey() {
        let fields: Fields = ["a": 1, "b": 2, "a": 3]
        #expect(fields["a"] == 3)
        #expect(fields.count == 2)
    }

    @Test("two fields have different NaN values → they are equal", .rule("AD-155"))
    func nan() {
        let quiet: Fields = ["x": .double(.nan)]
        let other: Fields = ["x": .double(Double(bitPattern: 0xFFF8_0000_0000_1234))]
        #expect(quiet == other)
    }

    @Test("a value, then nil, is assigned to a key → the key is added, then removed")
    func assigning() {
        var fields = Fields()
        fields["title"] = "x"
        fields["size"] = 4.5
        #expect(fields["title"]?.string == "x")
        #expect(fields["size"]?.double == 4.5)
        fields["title"] = nil
        #expect(fields == ["size": 4.5])
        #expect(fields["title"] == nil)
    }

    @Test("an assigned value cannot be carried by D-Bus → a fault is recorded, and the key keeps its former value")
    func fault() {
        var fields: Fields = ["a": "before"]
        fields["a"] = .string("nul \0 inside")
        #expect(fields["a"] == "before")
        #expect(fields.fault?.code == .invalidObject)
        #expect(fields.fault?.message.contains("“a”") == true)
        #expect(throws: ListError.self) { try ListObject(id: "1", fields: fields) }
    }

    @Test("fields are merged → the result has the entries of both; they are filtered → it has those of the given keys")
    func merging() throws {
        let base: Fields = ["a": 1, "b": 2, "d": 4]
        #expect(base.merging(["b": 3, "c": 5]) == ["a": 1, "b": 3, "c": 5, "d": 4])
        #expect(base.patched(set: ["e": "x"], unset: ["a", "z"]) == ["b": 2, "d": 4, "e": "x"])
        #expect(base.patched(set: ["a": 7], unset: ["a"]) == ["a": 7, "b": 2, "d": 4])
        #expect(base.filtered(to: ["a", "d", "z"]) == ["a": 1, "d": 4])
        #expect(base.map(\.key) == ["a", "b", "d"])
    }
}
