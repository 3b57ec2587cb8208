// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Names, paths and signatures that would make libdbus abort")
struct NameTests {
    @Test(
        "an interface name is given → it is accepted or refused as the D-Bus specification defines",
        arguments: [
            ("org.example.Counter", true), ("a.b", true), ("_a._1", true), ("a.b_9", true),
            ("", false), ("org", false), (".a.b", false), ("a.b.", false), ("a..b", false), ("a.1b", false),
            ("a-b.c", false), ("a.b/c", false), ("a.ä", false), ("a.b\0", false),
            (String(repeating: "a", count: 253) + ".b", true), (String(repeating: "a", count: 254) + ".b", false),
        ])
    func interfaces(name: String, isValid: Bool) {
        #expect(Names.isInterface(name) == isValid)
        #expect(Names.isErrorName(name) == isValid)
    }

    @Test(
        "a bus name is given → it is accepted or refused as the D-Bus specification defines",
        arguments: [
            (":1.42", true), (":1.a-b", true), ("org.example-x.Y", true), ("a.b", true), (":1", false), (":", false),
            ("org", false), ("1a.b", false), ("a.1b", false), ("", false), (":1.", false), ("a b.c", false),
        ])
    func busNames(name: String, isValid: Bool) {
        #expect(Names.isBusName(name) == isValid)
    }

    @Test(
        "a member name is given → it is accepted or refused as the D-Bus specification defines",
        arguments: [
            ("Add", true), ("_", true), ("a9", true), ("", false), ("9a", false), ("a.b", false), ("a-b", false),
        ])
    func members(name: String, isValid: Bool) {
        #expect(Names.isMember(name) == isValid)
    }

    @Test(
        "an object path is given → it is accepted or refused as the D-Bus specification defines",
        arguments: [
            ("/", true), ("/a", true), ("/a/b_9", true), ("/9", true), ("", false), ("a", false), ("/a/", false),
            ("//", false), ("/a//b", false), ("/a-b", false), ("/ä", false), ("/a\0", false),
        ])
    func paths(text: String, isValid: Bool) {
        #expect(ObjectPath.isValid(text) == isValid)
        if !isValid { #expect(throws: DBusError.self) { try ObjectPath(text) } }
    }

    @Test(
        "a signature is given → it is accepted or refused as the D-Bus specification defines",
        arguments: [
            ("", true), ("s", true), ("a{sv}", true), ("a(uu)a(uu)", true), ("(s(ii)av)", true), ("aay", true),
            ("a", false), ("()", false), ("(s", false), ("s)", false), ("{sv}", false), ("a{vs}", false),
            ("a{s}", false), ("a{sss}", false), ("a{(s)s}", false), ("r", false), ("e", false), ("z", false),
            ("a{sv", false), ("(a)", false), ("a{", false), ("a{sv})", false), ("m", false),
            (String(repeating: "y", count: 255), true), (String(repeating: "y", count: 256), false),
            (String(repeating: "a", count: 32) + "y", true), (String(repeating: "a", count: 33) + "y", false),
            (String(repeating: "(", count: 32) + "y" + String(repeating: ")", count: 32), true),
            (String(repeating: "(", count: 33) + "y" + String(repeating: ")", count: 33), false),
        ])
    func signatures(text: String, isValid: Bool) {
        #expect(Signature.isValid(text) == isValid)
    }

    @Test("random texts → accepted or refused as libdbus does")
    func asLibdbus() async throws {
        var random = SeededRandom(seed: 7)
        let alphabet = Array("ab9_-./:{}()asvyu ").map(String.init)
        let texts = (0..<4000).map { _ in
            (0..<Int.random(in: 0...7, using: &random)).map { _ in random.pick(alphabet) ?? "" }.joined()
        }
        let python = try ChildProcess(
            python: """
                import sys, _dbus_bindings as b, dbus
                def ok(check, text):
                    try: check(text); return "1"
                    except Exception: return "0"
                for line in sys.stdin:
                    t = line[1:-1]
                    print("".join([ok(b.validate_interface_name, t), ok(b.validate_error_name, t),
                        ok(b.validate_member_name, t), ok(b.validate_bus_name, t), ok(b.validate_object_path, t),
                        ok(lambda s: list(dbus.Signature(s)), t)]))
                """)
        for text in texts {
            python.write(line: "=" + text)
            let ours = [
                Names.isInterface(text), Names.isErrorName(text), Names.isMember(text), Names.isBusName(text),
                ObjectPath.isValid(text), Signature.isValid(text),
            ].map { $0 ? "1" : "0" }.joined()
            #expect(try await python.lines.next() == ours, "“\(text)”")
        }
    }
}

@Suite("Object paths")
struct ObjectPathTests {
    @Test(
        "a name becomes a path element → escaped as the contract defines; unescaping restores the name", .rule("NA-02"),
        arguments: [
            ("mail", "mail"), ("", "_"), ("_", "_5f"), ("a b", "a_20b"), ("1st", "_31st"), ("a1", "a1"),
            ("ä", "_c3_a4"), ("a/b", "a_2fb"), ("a-b.c", "a_2db_2ec"),
        ])
    func escaping(name: String, element: String) {
        #expect(ObjectPath.escape(name) == element)
        #expect(ObjectPath.unescape(element) == name)
        #expect(ObjectPath.isValid("/" + element))
    }

    @Test(
        "a path element that is not an escaped name → unescaping returns nil",
        arguments: ["", "_4", "_zz", "1", "_41", "a_", "_C3_A4", "_ff", "-"])
    func notEscaped(element: String) {
        #expect(ObjectPath.unescape(element) == nil)
    }

    @Test("any text is escaped → the result is a valid path element, from which the text can be restored")
    func reversible() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<500 {
            let length = Int.random(in: 0...12, using: &random)
            let name = String(
                String.UnicodeScalarView(
                    (0..<length).compactMap { _ in UnicodeScalar(UInt32.random(in: 1...0x2ff, using: &random)) }))
            #expect(ObjectPath.unescape(ObjectPath.escape(name)) == name)
            #expect(ObjectPath.isValid("/" + ObjectPath.escape(name)))
        }
    }

    @Test("nested paths → `parent`, `elements` and `contains` agree")
    func nesting() {
        let path: ObjectPath = "/org/example/Counter"
        #expect(path.parent == "/org/example")
        #expect(("/org" as ObjectPath).parent == .root)
        #expect(ObjectPath.root.parent == nil)
        #expect(path.elements == ["org", "example", "Counter"])
        #expect(path.lastElement == "Counter")
        #expect(("/org/example" as ObjectPath).contains(path))
        #expect(path.contains(path))
        #expect(ObjectPath.root.contains(path))
        #expect(!("/org/exam" as ObjectPath).contains(path))
        #expect(!path.contains("/org/example"))
        #expect(ObjectPath.root.appending("a b") == "/a_20b")
        #expect(path.appending("") == "/org/example/Counter/_")
    }
}
