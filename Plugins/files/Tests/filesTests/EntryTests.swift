// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import PluginTestSupport
import Testing

@testable import files

@Suite("Items of directory entries")
struct EntryTests {
    @Test(
        "a number of bytes is formatted → the text has a unit and at most four digits",
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (10_188, "9.9 KiB"), (10_189, "10 KiB"),
            (10_240, "10 KiB"), (1_048_575, "1.0 MiB"), (1_048_576, "1.0 MiB"), (5 << 30, "5.0 GiB"),
            (UInt64.max, "16 EiB"),
        ] as [(UInt64, String)])
    func byteCount(bytes: UInt64, text: String) {
        #expect(ByteCount(bytes: bytes).description == text)
    }

    @Test(
        "a file name → the MIME type of its longest known suffix",
        arguments: [
            ("a.txt", "text/plain"), ("A.TXT", "text/plain"), ("x.tar.gz", "application/x-compressed-tar"),
            ("x.y.gz", "application/gzip"), ("Makefile", "text/x-makefile"), ("photo.JPG", "image/jpeg"),
            ("none", "application/octet-stream"), (".", "application/octet-stream"), ("", "application/octet-stream"),
        ])
    func builtIn(name: String, type: String) {
        #expect(MimeTypes.builtIn.type(forName: name) == type)
    }

    @Test("the freedesktop database has a pattern for a name → the file has the MIME type and the icon of that pattern")
    func database() {
        let globs = """
            # comment
            80:text/html:*.html
            60:application/x-sharedlib:*.so.[0-9]*
            50:text/x-a:*.a.b
            50:text/x-readme:README
            50:text/x-late:*.HTML:cs
            nonsense
            """
        let types = MimeTypes(globs: globs, genericIcons: "text/html:text-html\nbroken")
        #expect(types.type(forName: "x.html") == "text/html")
        #expect(types.type(forName: "x.a.b") == "text/x-a")
        #expect(types.type(forName: "readme") == "text/x-readme")
        #expect(types.type(forName: "lib.so.1") == "application/octet-stream")
        #expect(types.icon(forType: "text/x-a") == "text-x-a")
        #expect(types.genericIcon(forType: "text/html") == "text-html")
        #expect(types.genericIcon(forType: "image/png") == "image-x-generic")
        #expect(types.genericIcon(forType: "inode/directory") == "folder")
        #expect(types.genericIcon(forType: types.type(forName: "unknown")) == "text-x-generic")
    }

    @Test("the freedesktop database is missing → the built-in MIME types are used")
    func noDatabase() {
        #expect(MimeTypes.installed(in: "/nonexistent").type(forName: "a.txt") == "text/plain")
    }

    private func item(_ kind: String, _ name: String, _ more: Fields = [:]) throws -> ListItem {
        let fields: Fields = ["name": .string(name), "kind": .string(kind)]
        let object = try ListObject(id: name, type: kind, fields: fields.merging(more))
        return EntryController(types: .builtIn).item(for: object)
    }

    @Test("a file is listed → its item has the title, the readable size, the MIME type's icon and the kind")
    func file() throws {
        let item = try item("file", "song.mp3", ["size": .uint64(3 << 20), "modified": 77])
        #expect(item.reuseIdentifier == "file")
        #expect(
            item.content == [
                "title": "song.mp3", "detail": "3.0 MiB", "icon": "audio-mpeg", "fallback-icon": "audio-x-generic",
                "mime": "audio/mpeg", "kind": "file", "size": .uint64(3 << 20), "modified": 77,
            ])
    }

    @Test("a directory, a link and a pipe are listed → each item has its icon, description and reuse identifier")
    func others() throws {
        #expect(try item("directory", "d").content["icon"] == "inode-directory")
        #expect(try item("directory", "d").content["detail"] == "directory")
        #expect(try item("link", "l", ["target": "/x"]).content["detail"] == "→ /x")
        #expect(try item("pipe", "p").reuseIdentifier == "pipe")
        #expect(try item("nonsense", "n").reuseIdentifier == "file")
    }

    @Test("a device is listed → its MIME type tells whether it is a character or a block device")
    func devices() throws {
        let null = try #require(try Directory(root: "/dev").entry(named: EntryPath("null")))
        #expect(null.device == .character)
        let object = try null.object(id: "null", heading: nil, isRecursive: false)
        #expect(object.fields["device"] == "character")
        #expect(EntryController(types: .builtIn).item(for: object).content["mime"] == "inode/chardevice")
        let disk = try item("device", "sda", ["device": "block"])
        #expect(disk.content["mime"] == "inode/blockdevice")
        #expect(disk.reuseIdentifier == "device")
        #expect(try Directory(root: "/").entry(named: EntryPath("dev"))?.device == nil)
    }

    @Test("directories and files → rows over the whole width, with a header above the first directory")
    func list() throws {
        let list = try TestList(FilesPlugin.self, size: Size(width: 200, height: 300))
        let directory = try ListObject(
            id: "d", type: "directory", fields: ["kind": "directory", "heading": "Directories"])
        let file = try ListObject(id: "f", type: "file", fields: ["kind": "file", "size": .uint64(1)])
        try list.update([directory, file])
        #expect(try list.picture.items.map(\.kind) == [.header, .cell, .cell])
        #expect(try list.shown(.header, of: "d")?.content == ["title": "Directories"])
        #expect(try list.shown(.header, of: "d")?.frame == Rect(x: 0, y: 0, width: 200, height: 28))
        #expect(try list.shown(of: "f").map(\.frame) == [Rect(x: 0, y: 72, width: 200, height: 44)])
        #expect(list.faults.isEmpty)
    }

    @Test("an entry changes its size or heading → its item or header is updated without a reload of the section")
    func update() throws {
        let list = try TestList(FilesPlugin.self)
        let file = try ListObject(id: "f", type: "file", fields: ["kind": "file", "size": .uint64(1)])
        try list.update([file])
        let transaction = try list.update([try file.with(fields: ["kind": "file", "size": .uint64(2048)])])
        #expect(transaction?.sections.reloads.isEmpty == true)
        #expect(transaction?.items.reloads.count == 1)
        #expect(list.items(of: "f").first?.content["detail"] == "2.0 KiB")
        try list.update([try file.with(fields: ["kind": "file", "heading": "Files"])])
        #expect(try list.shown(.header, of: "f")?.content["title"] == "Files")
        try list.update([try file.with(fields: ["kind": "file"])])
        #expect(try list.shown(.header, of: "f") == nil)
        #expect(list.faults.isEmpty)
    }
}
