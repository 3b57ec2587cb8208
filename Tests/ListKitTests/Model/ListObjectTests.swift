// SPDX-License-Identifier: Apache-2.0

import ListKit
import Testing

@Suite("ListObject")
struct ListObjectTests {
    @Test("an object is created → its identifier, type and fields can be read, and a reference takes 8 bytes")
    func parts() throws {
        let object = try ListObject(id: "a", type: "mail", fields: ["subject": "hello"])
        #expect(object.id == "a")
        #expect(object.type == "mail")
        #expect(object.fields == ["subject": "hello"])
        #expect(MemoryLayout<ListObject>.size == 8)
    }

    @Test("objects have the same identifier, type and fields → they are equal; anything differs → they are not equal")
    func equality() throws {
        let object = try ListObject(id: "a", type: "mail", fields: ["n": 1])
        #expect(try object == ListObject(id: "a", type: "mail", fields: ["n": 1]))
        #expect(try object != ListObject(id: "b", type: "mail", fields: ["n": 1]))
        #expect(try object != ListObject(id: "a", type: "post", fields: ["n": 1]))
        #expect(try object != ListObject(id: "a", type: "mail", fields: ["n": 2]))
        #expect(try object.isSame(as: ListObject(id: "a")))
    }

    @Test(
        "an identifier is empty, too long or contains NUL → the error has the right code",
        arguments: [
            ("", 1, ListError.Code.invalidObject), ("a\0b", 1, .invalidObject), ("x", 65_536, .payloadTooLarge),
        ])
    func malformed(part: String, times: Int, code: ListError.Code) {
        let error = #expect(throws: ListError.self) {
            try ListObject(id: String(repeating: part, count: times))
        }
        #expect(error?.code == code)
    }
}
