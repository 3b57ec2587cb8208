// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@_spi(Daemon) @testable import ListKit

@Suite("Canonical encoding of fields")
struct FieldsEncodingTests {
    private static func random(_ random: inout SeededRandom) -> [String: Value] {
        var values: [String: Value] = [:]
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            values["k\(Int.random(in: 0..<20, using: &random))"] = RandomValue.make(&random)
        }
        return values
    }

    private static func bytes(_ fields: Fields) -> [UInt8] {
        fields.withBytes { span in span.indices.map { span[$0] } }
    }

    @Test(
        "random values of every type are encoded → they are decoded unchanged, and the order of keys does not matter",
        arguments: 0..<20)
    func roundTrip(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<100 {
            let values = FieldsEncodingTests.random(&random)
            let fields = try Fields(values)
            #expect(Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0.value) }) == values)
            var other = Fields()
            for (key, value) in values.shuffled(using: &random) { other[key] = value }
            #expect(other == fields)
            #expect(other.fault == nil)
            for (key, value) in values { #expect(fields[key] == value) }
            #expect(fields.keys == values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            let bytes = FieldsEncodingTests.bytes(fields)
            #expect(try Fields(validating: bytes.span) == fields)
            #expect(try Fields(validating: bytes.span).byteCount == bytes.count)
        }
    }

    @Test(
        "entries have basic types, repeated keys or NUL → the result equals that of the general encoder",
        arguments: 0..<20)
    func plain(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<200 {
            var entries: [(String, Value)] = []
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                let key = String(repeating: "k", count: random.chance(oneIn: 9) ? 200 : 1)
                let type = random.pick(["y", "b", "n", "q", "i", "u", "x", "t", "d", "s"]) ?? "s"
                entries.append(("\(key)\(random.next() % 1000)", RandomValue.of(type, &random)))
            }
            if random.chance(oneIn: 5), let entry = entries.first { entries.append((entry.0, .boolean(true))) }
            if random.chance(oneIn: 9) { entries.append(("nul", .string("a\0b"))) }
            var encoder = FieldsEncoder()
            let expected = Result { () throws(ListError) in
                for (key, value) in entries { try encoder.append(value, forKey: key) }
                return try encoder.finish()
            }
            let storage = Fields.plainStorage(entries.span)
            let isRepeated = Set(entries.map(\.0)).count < entries.count
            #expect((storage == nil) == (isRepeated || entries.count > 16 || (try? expected.get()) == nil))
            if let storage { #expect(try Fields(storage: storage) == expected.get()) }
            let values = Dictionary(entries) { $1 }
            let made = Result { () throws(ListError) in try Fields(values) }
            #expect((try? made.get()) == (try? expected.get()))
        }
    }

    @Test(
        "bytes are corrupted → they are rejected, or are the canonical encoding of other fields, without a trap",
        arguments: 0..<20)
    func hostile(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var accepted = 0
        for _ in 0..<300 {
            var bytes = FieldsEncodingTests.bytes(try Fields(FieldsEncodingTests.random(&random)))
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let index = bytes.indices.randomElement(using: &random) else { continue }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.removeSubrange(index...)
                default: bytes.insert(contentsOf: bytes[..<index], at: index)
                }
            }
            guard let fields = try? Fields(validating: bytes.span) else { continue }
            accepted += 1
            // Accepted bytes equal the encoding of their content, because every content has one encoding.
            var again = Fields()
            for (key, value) in fields { again[key] = value }
            #expect(FieldsEncodingTests.bytes(again) == bytes)
            #expect(fields.count == fields.keys.count)
        }
        #expect(accepted < 300)
    }

    @Test("random bytes are decoded → the decoder does not trap", arguments: 0..<10)
    func noise(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<2000 {
            let letters: [UInt8] = [0, 1, 2, 3, 0x61, 0x7B, 0x73, 0x76, 0x7D, 0x28, 0x29, 0x79, 0x80, 0xFF]
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in random.pick(letters) ?? 0 }
            let fields = try? Fields(validating: bytes.span)
            #expect(fields == nil || fields?.byteCount == bytes.count)
        }
    }

    private static func nested(_ count: Int) -> Value {
        (1..<count).reduce(Value.array(element: "v", [.variant(1)])) { inner, _ in
            .array(element: "v", [.variant(inner)])
        }
    }

    @Test("a value is nested in 32 containers → it is accepted; in 33 containers → the error names the key")
    func depth() throws {
        let fields = try Fields(["deep": FieldsEncodingTests.nested(16)])
        #expect(try Fields(validating: FieldsEncodingTests.bytes(fields).span) == fields)
        #expect(fields["deep"] == FieldsEncodingTests.nested(16))
        let error = #expect(throws: ListError.self) { try Fields(["deep": FieldsEncodingTests.nested(17)]) }
        #expect(error?.code == .invalidObject)
        #expect(error?.message.contains("“deep”") == true)
        let structures = (0..<32).reduce(Value.byte(1)) { inner, _ in .structure([inner]) }
        #expect(try Fields(["s": structures])["s"] == structures)
        #expect(throws: ListError.self) { try Fields(["s": .structure([structures])]) }
        #expect(throws: ListError.self) { try Fields(["s": .variant(structures)]) }
    }

    @Test(
        "a D-Bus message cannot carry a value → encoding it throws an error",
        arguments: [
            Value.string("a\0"), .objectPath("a"), .objectPath("/a/"), .objectPath("//"), .objectPath("/é"),
            .objectPath(""),
            .signature("a"), .signature("a{vs}"), .signature("{sv}"), .signature("()"), .signature("h"),
            .array(element: "s", [1]), .array(element: "ss", []), .array(element: "", []),
            .dictionary(key: "v", value: "s", [:]), .dictionary(key: "s", value: "s", ["a": 1]), .structure([]),
            .array(element: "as", [.array(element: "i", [])]), .variant(.structure([])),
            .signature(String(repeating: "s", count: 256)),
        ])
    func refused(value: Value) {
        let error = #expect(throws: ListError.self) { try Fields(["key": value]) }
        #expect(error?.code == .invalidObject)
    }

    @Test("a value is nested 2,000 levels deep → it is rejected without a stack overflow")
    func endless() {
        var value: Value = 1
        // The value is not deeper, because releasing a deeper value would overflow the stack.
        for _ in 0..<2000 { value = .structure([value]) }
        #expect(throws: ListError.self) { try Fields(["key": value]) }
    }

    @Test("encoder calls do not match the signature → an error is thrown, and a reset makes the encoder usable again")
    func encoderMisuse() throws {
        var encoder = FieldsEncoder()
        #expect(throws: ListError.self) { try encoder.append(1 as Int32) }
        encoder.reset()
        try encoder.beginDictionaryEntry()
        #expect(throws: ListError.self) { try encoder.endDictionaryEntry() }
        encoder.reset()
        try encoder.beginDictionaryEntry()
        try encoder.append(text: "k".utf8Span.span)
        #expect(throws: ListError.self) { try encoder.beginVariant(signature: "ii".utf8Span.span) }
        try encoder.beginVariant(signature: "ay".utf8Span.span)
        try encoder.beginArray()
        try encoder.append(bytes: [1, 2, 3].span)
        #expect(throws: ListError.self) { try encoder.endStructure() }
        #expect(throws: ListError.self) { try encoder.finish() }
        try encoder.endArray()
        try encoder.endVariant()
        try encoder.endDictionaryEntry()
        let fields = try encoder.finish()
        #expect(fields["k"] == .array(element: "y", [.byte(1), .byte(2), .byte(3)]))
        #expect(try encoder.finish() == Fields())
    }

    @Test(
        "text entries are appended whole or in parts, in any order, some twice → the fields are the same",
        arguments: 0..<8)
    func wholeEntries(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var encoder = FieldsEncoder()
        for _ in 0..<50 {
            var expected: [String: Value] = [:]
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let key = "k\(Int.random(in: 0..<30, using: &random))"
                let text = String(repeating: "ü", count: Int.random(in: 0...90, using: &random))
                if random.chance(oneIn: 3) {
                    try encoder.append(.string(text), forKey: key)
                } else {
                    try encoder.appendField(key.utf8Span.span, text: text.utf8Span.span)
                }
                expected[key] = .string(text)
            }
            #expect(try encoder.finish() == Fields(expected))
        }
    }

    @Test("a text entry is malformed or appended inside a container → appending it throws an error")
    func wholeEntryMisuse() throws {
        var encoder = FieldsEncoder()
        let malformed: [[UInt8]] = [[0xFF], [0x61, 0], [0xC3]]
        for bytes in malformed {
            #expect(throws: ListError.self) { try encoder.appendField(bytes.span, text: "x".utf8Span.span) }
            #expect(throws: ListError.self) { try encoder.appendField("x".utf8Span.span, text: bytes.span) }
        }
        #expect(try encoder.finish() == Fields())
        try encoder.beginDictionaryEntry()
        #expect(throws: ListError.self) { try encoder.appendField("x".utf8Span.span, text: "y".utf8Span.span) }
    }

    @Test("an object is created by an encoder → it equals an object created from fields")
    func object() throws {
        var encoder = FieldsEncoder()
        try encoder.append("x", forKey: "title")
        try encoder.append(5, forKey: "a")
        let object = try encoder.finishObject(id: "id".utf8Span.span, type: .named("mail"))
        #expect(try object == ListObject(id: "id", type: "mail", fields: ["title": "x", "a": 5]))
        #expect(object.byteCount == 2 + object.fields.byteCount)
        #expect(try object.with(fields: ["a": 6]).fields == ["a": 6])
    }

    @Test("the last object of a type with a long name is released → the interned name is removed")
    func types() throws {
        let object = try ListObject(id: "1", type: "a type of its own")
        #expect(object.objectType === ObjectType.named("a type of its own"))
        #expect(try ListObject(id: "2", type: "").objectType === ObjectType.named(""))
        #expect(ObjectType.unnamed === ObjectType.named(""))
        var names = TypeNames()
        let long = String(repeating: "a", count: TypeNames.keptLength)
        var kept: [ObjectType] = []
        for number in 0..<5000 {
            let type = names.type(named: long + "\(number)")
            if number % 1000 == 0 {
                kept.append(type)
            } else {
                names.remove(type.name, ifIdentical: ObjectIdentifier(type))
            }
        }
        #expect(names.count == kept.count)
        #expect(names.type(named: long + "1000") === kept[1])
    }

    @Test("more short type names than are kept → the first ones stay, the others are removed")
    func keptTypes() {
        var names = TypeNames()
        for number in 0..<TypeNames.keptCount + 10 {
            let type = names.type(named: "\(number)")
            #expect(names.type(named: "\(number)") === type)
            names.remove(type.name, ifIdentical: ObjectIdentifier(type))
        }
        #expect(names.count == TypeNames.keptCount)
    }
}
