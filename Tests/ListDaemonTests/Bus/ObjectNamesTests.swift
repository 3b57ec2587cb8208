import ListDaemon
import Testing

@Suite("Object names")
struct ObjectNamesTests {
    @Test(
        "name → element of a path",
        arguments: [
            ("", "_"), ("mail", "mail"), ("a1", "a1"), ("1a", "_31a"), ("a_b", "a_5fb"), ("a b/c", "a_20b_2fc"),
            ("é", "_c3_a9"), ("_", "_5f"), ("99", "_399"),
        ])
    func escaping(name: String, element: String) {
        #expect(ObjectNames.escape(name) == element)
        #expect(ObjectNames.adapter(name) == "/org/listd/Listd1/adapters/" + element)
    }

    @Test("all short names over an awkward alphabet → different elements of legal characters")
    func injective() {
        let alphabet = ["", "_", "5", "f", "é", "/", "A", "\u{7f}"]
        let names = Set(alphabet.flatMap { a in alphabet.flatMap { b in alphabet.map { a + b + $0 } } })
        let elements = names.map(ObjectNames.escape)
        #expect(Set(elements).count == names.count)
        #expect(elements.allSatisfy { $0.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil })
    }
}
