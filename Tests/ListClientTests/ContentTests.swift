// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@Suite("Content of objects and items")
struct ContentTests {
    private static let composed = "\u{e9}"
    private static let decomposed = "e\u{301}"

    @Test("keys that are equal as Swift strings but not as bytes → both fields are kept, and found by their bytes")
    func equivalentKeys() {
        let content: Content = [Self.composed: .int64(1), "a": .int64(2), Self.decomposed: .int64(3)]
        #expect(content.count == 3)
        #expect(content[Self.composed] == .int64(1))
        #expect(content[Self.decomposed] == .int64(3))
        #expect(content["a"] == .int64(2))
        #expect(content["b"] == nil)
        #expect(content.keys.map { Array($0.utf8) } == [[0x61], [0x65, 0xcc, 0x81], [0xc3, 0xa9]])
        #expect(([Self.composed: .int64(1)] as Content) != [Self.decomposed: .int64(1)])
        #expect(([Self.composed: .int64(1)] as Content)[Self.decomposed] == nil)
    }

    @Test(
        "random fields arrive in any order, some of them repeated → each key has its last field, sorted by key bytes",
        arguments: 0..<20)
    func order(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let keys = ["", "a", "b", "ab", Self.composed, Self.decomposed, "z\u{301}", "\u{17a}", "\u{1f600}", "\u{ffff}"]
        var fields: [(key: String, value: DBusValue)] = []
        for number in 0..<Int64.random(in: 0..<30, using: &random) {
            fields.append((key: random.pick(keys) ?? "", value: .int64(number)))
        }
        let content = Content(fields)
        for key in keys {
            let last = fields.last { $0.key.utf8.elementsEqual(key.utf8) }
            #expect(content[key] == last?.value)
        }
        let bytes = content.keys.map { Array($0.utf8) }
        #expect(zip(bytes, bytes.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
        #expect(Content(fields.shuffled(using: &random)).count == content.count)
        #expect(Content(content.map { $0 }) == content)
        #expect(content.value.signature == "a{sv}")
    }

    @Test("a received object has keys that are equal as Swift strings → all its fields are decoded")
    @DBusActor
    func wire() throws {
        var message = try Message.methodCall(to: nil, path: "/", interface: nil, member: "Test")
        let sent: Content = [Self.composed: .string("nfc"), Self.decomposed: .string("nfd"), "a": .int64(1)]
        try message.write(values: [.structure([.string("nf"), .string(""), sent.value])])
        let object = try message.decode(as: MirroredObject.self)
        #expect(object == MirroredObject(id: "nf", type: "", fields: sent))
        #expect(object.fields.count == 3)
    }
}
