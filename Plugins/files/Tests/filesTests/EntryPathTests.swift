// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import Testing

@testable import files

@Suite("Paths of entries, and options of a directory list")
struct EntryPathTests {
    @Test(
        "a path is split → EntryPath has the path's components, last name, parent and depth",
        arguments: [("", [], "", ""), ("a", ["a"], "a", ""), ("a/b c/.d", ["a", "b c", ".d"], ".d", "a/b c")])
    func parts(text: String, components: [String], name: String, parent: String) {
        let path = EntryPath(text)
        #expect(path.components.map { String(decoding: $0, as: UTF8.self) } == components)
        #expect(path.name == EntryPath(name))
        #expect(path.parent == EntryPath(parent))
        #expect(path.depth == max(0, components.count - 1))
        #expect(path.isRoot || path.parent.child(path.name) == path)
    }

    @Test("a directory is renamed → only the paths of entries below the directory are updated")
    func below() {
        let path = EntryPath("a/b/c")
        #expect(path.isBelow(EntryPath("a")))
        #expect(path.isBelow(EntryPath("a/b")))
        #expect(path.isBelow(.root))
        #expect(!path.isBelow(path))
        #expect(!EntryPath("ab").isBelow(EntryPath("a")))
        #expect(!EntryPath.root.isBelow(.root))
        #expect(path.moved(from: EntryPath("a/b"), to: EntryPath("x")) == EntryPath("x/c"))
        #expect(path.moved(from: path, to: EntryPath("y")) == EntryPath("y"))
        #expect(path.moved(from: EntryPath("b"), to: EntryPath("y")) == path)
    }

    @Test("a name in the path begins with a dot → the path counts as hidden", arguments: [".a", "b/.a", ".a/b"])
    func hidden(text: String) {
        #expect(EntryPath(text).isHidden)
        #expect(!EntryPath("a.b/c.").isHidden)
    }

    private func entry(_ path: String, _ kind: FileKind = .file) -> FileEntry {
        FileEntry(
            path: EntryPath(path), identity: .init(device: 1, inode: 1), kind: kind, size: 0, modified: 0, mode: 0,
            owner: 0, target: nil)
    }

    @Test("entries of a tree are sorted → each directory precedes its entries, and subdirectories precede files")
    func order() {
        let wanted = [
            entry("A", .directory), entry("A/x", .directory), entry("A/x/9"), entry("A/b"), entry("a", .directory),
            entry("a/a"), entry("ab", .directory), entry("B", .directory), entry("B/1"), entry("0"), entry("A.txt"),
            entry("b"),
        ]
        for seed in 0..<20 {
            var random = Random(state: UInt64(seed))
            var shuffled = wanted
            for index in shuffled.indices.dropFirst() { shuffled.swapAt(index, random.below(index + 1)) }
            #expect(shuffled.sorted { EntryOrder($0) < EntryOrder($1) } == wanted)
        }
    }

    @Test("an argument and settings are parsed → the options have the path, the depth, limits and hidden-entry rules")
    func options() throws {
        let plain = try DirectoryOptions("/srv", settings: PluginSettings())
        #expect(plain.path == "/srv" && plain.depth == 0 && plain.showsHidden && plain.maximumCount == 1_000_000)
        #expect(plain.shows(EntryPath(".a")))
        #expect(!plain.shows(EntryPath("a/b")))
        let deep = try DirectoryOptions(
            "/srv&recursive", settings: PluginSettings(["ShowHidden": "no", "MaximumEntries": "5"]))
        #expect(deep.isRecursive && deep.maximumCount == 5)
        #expect(deep.shows(EntryPath("a/b/c/d")) && !deep.shows(EntryPath("a/.b/c")))
        let two = try DirectoryOptions("/srv%26x&depth=2&hidden=yes", settings: PluginSettings(["ShowHidden": "no"]))
        #expect(two.path == "/srv&x" && two.showsHidden)
        #expect(two.shows(EntryPath("a/b/c")) && !two.shows(EntryPath("a/b/c/d")))
        #expect(two.shows(entriesOf: EntryPath("a/b")) && !two.shows(entriesOf: EntryPath("a/b/c")))
    }

    @Test(
        "an invalid option or setting → an error that names the option or setting",
        arguments: [
            ("/a&depth=0", [:], "depth=0"), ("/a&depth=65", [:], "64"), ("/a&recursive=perhaps", [:], "recursive"),
            ("/a", ["MaximumEntries": "0"], "MaximumEntries"), ("/a", ["ShowHidden": "?"], "ShowHidden"),
            ("/a&deep", [:], "deep"),
        ] as [(String, [String: String], String)])
    func wrong(text: String, settings: [String: String], named: String) {
        let error = #expect(throws: (any Error).self) {
            try DirectoryOptions(text, settings: PluginSettings(settings))
        }
        #expect(error.map { "\($0)".contains(named) } == true)
    }
}
