import Testing

@testable import ListDaemon

@Suite("Names of what plugins bring")
struct PluginNameTests {
    @Test(
        "letters, digits, - and _, up to 64 → a name",
        arguments: ["files", "Entry-Controller_2", "a", String(repeating: "x", count: 64)])
    func valid(name: String) {
        #expect(PluginName.isValid(name))
    }

    @Test(
        "anything else → no name",
        arguments: ["", ".", "..", "a/b", "a b", "ä", "a\0", "a.so", String(repeating: "x", count: 65)])
    func invalid(name: String) {
        #expect(!PluginName.isValid(name))
    }

    @Test("PLUGIN/NAME → a reference that reads back the same")
    func reference() throws {
        let reference = try #require(PluginReference("files/EntryController"))
        #expect(reference.plugin == "files")
        #expect(reference.name == "EntryController")
        #expect(reference.text == "files/EntryController")
    }

    @Test(
        "too few or too many parts, or bad ones → no reference",
        arguments: ["", "files", "/a", "a/", "a/b/c", "a//b", "../x", "a/b?c"])
    func noReference(text: String) {
        #expect(PluginReference(text) == nil)
    }

    @Test(
        "a source → the argument is what follows the first ?, as written",
        arguments: [
            ("files/directory", ""), ("files/directory?", ""), ("files/directory?/usr/share/doc", "/usr/share/doc"),
            ("a/b?x?y=1&z", "x?y=1&z"), ("a/b? /ä ", " /ä "),
        ])
    func source(text: String, argument: String) throws {
        #expect(try #require(PluginSourceReference(text)).argument == argument)
    }

    @Test("no plugin's source → nil", arguments: ["push", "jsonl:/a/b", "?x", "files?a/b"])
    func noSource(text: String) {
        #expect(PluginSourceReference(text) == nil)
    }
}
