// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import Testing

@testable import packages

@Suite("dpkg's status file")
struct StatusFileTests {
    private func read(_ text: String) -> StatusFile { StatusFile(Array(text.utf8)) }

    @Test("a stanza is parsed → the package has all of its fields, and its size in bytes")
    func stanzas() throws {
        let file = read(stanza("bash", version: "5.2.15-2+b7", size: 7163) + stanza("zsh", state: "config-files"))
        let bash = try #require(file.packages.first)
        #expect(
            bash
                == Package(
                    name: "bash", architecture: "amd64", version: "5.2.15-2+b7", summary: "what bash is for",
                    section: "utils", installedSize: 7163 * 1024, state: "installed"))
        #expect(bash.identity == "bash:amd64")
        #expect(file.packages.map(\.isPresent) == [true, false])
        #expect(file.unreadableCount == 0)
    }

    @Test("a package for two architectures → two packages; two stanzas for one architecture → the later stanza")
    func repeated() {
        let file = read(
            stanza("libc6") + stanza("libc6", architecture: "i386") + stanza("libc6", version: "2.0"))
        #expect(file.packages.map(\.identity) == ["libc6:amd64", "libc6:i386"])
        #expect(file.packages.first?.version == "2.0")
    }

    @Test(
        "a damaged file → complete stanzas are read, and damaged stanzas are counted",
        arguments: [
            ("", [], 0, nil),
            ("\n\n\n", [], 0, nil),
            ("Package: a\nStatus: install ok installed", ["a"], 0, nil),
            ("Package: a\r\nStatus: install ok installed\r\n\r\n", ["a"], 0, nil),
            ("package: a\nSTATUS:install ok installed\n", ["a"], 0, nil),
            ("Package: a\n\nPackage: b\nStatus: install ok installed\n", ["b"], 1, 1),
            ("\n\nnonsense\n:\n: x\n\nPackage: b\nStatus: x\n", ["b"], 1, 3),
            ("Package:\nStatus: install ok installed\n", [], 1, 1),
            ("Package: a\nStatus:\n", [], 1, 1),
            (" Package: a\n Status: x\n", [], 1, 1),
            ("Package: a\nPackage: b\nStatus: x\nInstalled-Size: much\n", ["a"], 0, nil),
        ] as [(String, [String], Int, Int?)])
    func damage(text: String, names: [String], unreadable: Int, line: Int?) {
        let file = read(text)
        #expect(file.packages.map(\.name) == names)
        #expect(file.unreadableCount == unreadable)
        #expect(file.firstUnreadableLine == line)
        #expect(file.packages.allSatisfy { $0.installedSize == nil })
    }

    @Test("a field has a NUL or bytes that are not UTF-8 → U+FFFD replaces them, and the object is valid")
    func bytes() throws {
        let file = StatusFile(Array("Package: a\nStatus: x\nDescription: ".utf8) + [0xFF, 0, 0x21, 0x0A])
        #expect(file.packages.first?.summary == "\u{FFFD}\u{FFFD}!")
        let objects = try Letters(file.packages).objects()
        #expect(objects.first?.fields["packages"]?.array?.first?.dictionary?["summary"] == "\u{FFFD}\u{FFFD}!")
    }

    @Test(
        "a size is invalid or overflows → the package has no size",
        arguments: ["18014398509481984", "99999999999999999999", "-1", "1.5"])
    func hugeSize(text: String) {
        #expect(read("Package: a\nStatus: x\nInstalled-Size: \(text)\n").packages.first?.installedSize == nil)
    }

    @Test("a file ends at any position → the packages of its complete stanzas are read, without an error")
    func prefixes() {
        let bytes = Array((stanza("a") + stanza("bb") + stanza("ccc")).utf8)
        for count in 0...bytes.count {
            let names = StatusFile(Array(bytes.prefix(count))).packages.map(\.name)
            #expect(["a", "bb", "ccc"].starts(with: names) || names.last.map { "bb ccc".contains($0) } == true)
        }
    }

    @Test("package names are grouped → letters are grouped as in Debian's archive, and each group is sorted by name")
    func letters() throws {
        let text = ["zlib1g", "libc6", "0ad", "lib", "libc-bin", "Apt", "less", "libx11-6", "adduser"]
            .map { stanza($0) }.joined()
        let objects = try Letters(read(text).packages).objects()
        #expect(objects.map(\.id) == ["0", "a", "l", "lib", "libc", "libx", "z"])
        #expect(objects.map { $0.fields["heading"]?.string } == ["0", "A", "L", "lib", "libc", "libx", "Z"])
        #expect(objects.map(\.packageIDs.count) == [1, 2, 1, 1, 2, 1, 1])
        #expect(objects[4].packageIDs == ["libc-bin:amd64", "libc6:amd64"])
    }
}
