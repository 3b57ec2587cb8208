// SPDX-License-Identifier: Apache-2.0

import DBus
import Testing

@testable import listctl

@Suite("JSONLine: values as JSON on one line")
struct JSONLineTests {
    @Test(
        "a D-Bus value is written as JSON → the text that listd writes into JSON lines",
        arguments: [
            (.double(3), "3.0"), (.double(1e300), "1e+300"), (.double(-0.5), "-0.5"), (.double(.nan), "null"),
            (.double(-.infinity), "null"), (.byte(7), "7"), (.int64(.min), "-9223372036854775808"),
            (.uint64(.max), "18446744073709551615"), (.boolean(false), "false"), (.string("a/b"), #""a/b""#),
            (.string("\"\\\n\r\t\u{1}\u{1F}\u{7F}é"), #""\"\\\n\r\t\u0001\u001f\u007fé""#),
            (.objectPath("/a"), #""/a""#), (.signature("a{sv}"), #""a{sv}""#),
            (.variant(.variant(.int16(-1))), "-1"), (.structure([.byte(1), .string("x")]), #"[1,"x"]"#),
            (.array(element: "y", [.byte(1), .byte(255)]), #""Af8=""#), (.array(element: "s", []), "[]"),
            (.dictionary(key: "s", value: "v", []), "{}"),
        ] as [(DBusValue, String)])
    func values(value: DBusValue, expected: String) {
        #expect(JSONLine(value).text == expected)
    }

    @Test("a text has control characters → they are escaped; it has letters and joiners → they are unchanged")
    func steering() {
        let text = "\u{80}\u{9F}\u{61C}\u{200E}\u{200F}\u{202A}\u{202E}\u{2028}\u{2066}\u{2069}\u{FEFF}\u{E0041}"
        let escaped =
            #"\u0080\u009f\u061c\u200e\u200f\u202a\u202e\u2028\u2066\u2069\ufeff\udb40\udc41"#
        #expect(JSONLine(.string(text)).text == "\"\(escaped)\"")
        #expect(JSONLine(.options([text: .byte(1)])).text == "{\"\(escaped)\":1}")
        #expect(JSONLine.sanitized(#"{"id":"\#(text)é"}"#) == #"{"id":"\#(escaped)é"}"#)
        #expect(JSONLine(.string("👩\u{200D}🚀 \u{200C}")).text == "\"👩\u{200D}🚀 \u{200C}\"")
    }

    @Test("keys have any type → they become text; keys are canonically equivalent → both are kept, sorted by bytes")
    func keys() {
        func object(_ signature: Signature, _ keys: DBusValue...) -> String {
            JSONLine(
                .dictionary(key: signature, value: "y", keys.map { DBusValue.Entry(key: $0, value: .byte(0)) })
            ).text
        }
        #expect(object("b", .boolean(true), .boolean(false)) == #"{"false":0,"true":0}"#)
        #expect(object("d", .double(2), .double(.infinity)) == #"{"2.0":0,"inf":0}"#)
        #expect(object("u", .uint32(10)) == #"{"10":0}"#)
        #expect(object("o", .objectPath("/x")) == #"{"/x":0}"#)
        let equivalent = object("s", .string("\u{E9}"), .string("e\u{301}"))
        #expect(equivalent.utf8.elementsEqual("{\"e\u{301}\":0,\"\u{E9}\":0}".utf8))
    }
}
