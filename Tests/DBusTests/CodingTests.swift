// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Encoding values into messages, and decoding them")
@DBusActor
struct CodingTests {
    private func message() throws -> Message {
        try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
    }

    private func roundTrip<Value: DBusCodable & Sendable>(_ value: Value) throws -> Value {
        var message = try message()
        try message.write(value)
        #expect(message.signature == Value.signature)
        return try message.decode(as: Value.self)
    }

    @Test("numbers at the limits of their types are encoded → they are decoded unchanged")
    func numbers() throws {
        for value in [UInt8.min, .max] { #expect(try roundTrip(value) == value) }
        for value in [Int16.min, .max, -1] { #expect(try roundTrip(value) == value) }
        for value in [UInt16.min, .max] { #expect(try roundTrip(value) == value) }
        for value in [Int32.min, .max, -1] { #expect(try roundTrip(value) == value) }
        for value in [UInt32.min, .max] { #expect(try roundTrip(value) == value) }
        for value in [Int64.min, .max, -1] { #expect(try roundTrip(value) == value) }
        for value in [UInt64.min, .max] { #expect(try roundTrip(value) == value) }
        for value in [0.0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .pi] {
            #expect(try roundTrip(value).bitPattern == value.bitPattern)
        }
        #expect(try roundTrip(true))
        #expect(try !roundTrip(false))
    }

    @Test(
        "strings of every kind are encoded → they are decoded unchanged",
        arguments: ["", "a", "ä€😀", "\u{fffe}\u{10ffff}", "a\u{301}"])
    func text(value: String) throws {
        #expect(try roundTrip(value).unicodeScalars.elementsEqual(value.unicodeScalars))
    }

    @Test("paths, signatures, containers, structs and variants are encoded → they are decoded unchanged")
    func containers() throws {
        #expect(try roundTrip("/a/b" as ObjectPath) == "/a/b")
        #expect(try roundTrip("a{sv}" as Signature) == "a{sv}")
        #expect(try roundTrip([1, 2, 3] as [UInt64]) == [1, 2, 3])
        #expect(try roundTrip([] as [String]) == [])
        #expect(try roundTrip([["a"], [], ["b", "c"]]) == [["a"], [], ["b", "c"]])
        #expect(try roundTrip(["a": 1.5, "b": -2] as [String: Double]) == ["a": 1.5, "b": -2])
        #expect(try roundTrip(Variant(["x"])) == Variant(["x"]))
        let structure = try roundTrip(DBusStruct(7 as UInt32, "seven", [true, false])).members
        #expect(structure.0 == 7 && structure.1 == "seven" && structure.2 == [true, false])
        #expect(DBusStruct<UInt32, String, [Bool]>.signature == "(usab)")
        #expect([String: [DBusStruct<UInt8, Variant<Int16>>]].signature == "a{sa(yv)}")
    }

    @Test("a file descriptor is decoded → the result is a duplicate, closed when its last reference is released")
    func descriptors() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/file"
        let descriptor = try OpenFile.create(path, contents: "hello")
        var message = try message()
        try message.write(descriptor)
        let number: Int32
        do {
            let received = try message.decode(as: FileDescriptor.self)
            number = received.rawValue
            #expect(number != descriptor.rawValue)
            #expect(OpenFile.contents(received) == "hello")
        }
        #expect(!OpenFile.isOpen(number, path: path))
        #expect(throws: DBusError.self) { try FileDescriptor(duplicating: -1) }
    }

    @Test("random values of random types in a dynamic value are encoded → they are decoded unchanged")
    func dynamic() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<500 {
            let values = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                random.value(of: .types(of: random.signature(depth: 3)))
            }
            var message = try message()
            try message.write(values: values)
            #expect(try message.values() == values)
            #expect(message.signature.text == values.map(\.signature.text).joined())
        }
    }

    @Test("a typed dictionary has dynamic values → it is encoded as a{sv}")
    func options() throws {
        let options: [String: DBusValue] = ["n": .uint32(1), "s": .string("x"), "v": .variant(.byte(2))]
        var message = try message()
        try message.write(options)
        #expect(message.signature == "a{sv}")
        let found = try message.decode(as: [String: DBusValue].self)
        let expected: [String: DBusValue] = ["n": .uint32(1), "s": .string("x"), "v": .byte(2)]
        #expect(found == expected)
        var same = try self.message()
        try same.write(values: [.options(["n": .uint32(1)])])
        let single: [String: DBusValue] = ["n": .uint32(1)]
        #expect(try same.decode(as: [String: DBusValue].self) == single)
    }

    @Test("the caller decodes other types than the body has → InvalidArgs is thrown, without a trap")
    func wrongTypes() throws {
        var message = try message()
        try message.write("text", 5 as UInt32)
        #expect(throws: DBusError.self) { try message.decode(as: String.self) }
        #expect(throws: DBusError.self) { try message.decode(as: UInt32.self, UInt32.self) }
        #expect(throws: DBusError.self) { try message.decode(as: String.self, UInt32.self, Bool.self) }
        var variant = try self.message()
        try variant.write(Variant(1 as UInt32))
        let error = try #require(throws: DBusError.self) { try variant.decode(as: Variant<String>.self) }
        #expect(error.standard == .invalidArgs)
        try message.write(1 as UInt32)
        #expect(try message.decode(as: UInt32.self) == 1)
    }
}
