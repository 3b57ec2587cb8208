// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("Value")
struct ValueTests {
    @Test("a Swift literal becomes a value → its type is the one that the contract assigns to JSON")
    func literals() {
        #expect(("x" as Value).signature == "s")
        #expect((1 as Value).signature == "x")
        #expect((1.5 as Value).signature == "d")
        #expect((true as Value).signature == "b")
        #expect((["a", "b"] as Value).signature == "as")
        #expect((["a", 1] as Value).signature == "av")
        #expect(([] as Value).signature == "av")
        #expect((["k": 1] as Value).signature == "a{sv}")
        #expect(("\(1 + 1)" as Value) == .string("2"))
    }

    @Test("a typed accessor is used → it returns the content, also inside of variants, and nil for another type")
    func accessors() {
        let list: Value = ["a", 1]
        #expect(list.array == ["a", 1])
        let dictionary: Value = ["k": ["n": 2]]
        #expect(dictionary.dictionary?["k"]?.dictionary?["n"]?.int == 2)
        #expect(Value.variant(.variant("x")).string == "x")
        #expect(Value.objectPath("/a").string == "/a")
        #expect(Value.boolean(true).bool == true)
        #expect(Value.string("1").double == nil)
        #expect(Value.uint64(.max).int == nil)
        #expect(Value.structure(["a"]).array == nil)
    }

    @Test(
        "a number of any type is read as a double → it is the same number",
        arguments: [
            Value.byte(7), .int16(7), .uint16(7), .int32(7), .uint32(7), .int64(7), .uint64(7), .double(7),
        ])
    func numbers(value: Value) {
        #expect(value.double == 7)
        #expect(Value.variant(value).double == 7)
        if case .double = value { #expect(value.int == nil) } else { #expect(value.int == 7) }
    }

    @Test(
        "two values have equal encoded bytes → they are equal; they have different encoded bytes → they are not equal")
    func equality() {
        #expect(Value.double(.nan) == .double(-.nan))
        #expect(Value.double(0) != .double(-0.0))
        #expect(Value.int32(1) != .uint32(1))
        #expect(Value.string("/a") != .objectPath("/a"))
        // The texts are canonically equivalent, but have different bytes.
        #expect(Value.string("\u{E9}") != .string("e\u{301}"))
        #expect(Value.array(element: "s", []) != .array(element: "i", []))
    }
}
