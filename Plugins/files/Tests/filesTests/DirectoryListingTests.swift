// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import Testing

@testable import files

@Suite("Sorting and updating the entries of a directory")
struct DirectoryListingTests {
    private func entry(_ name: String, _ kind: FileKind = .file, inode: UInt64 = 0, size: UInt64 = 0) -> FileEntry {
        FileEntry(
            path: EntryPath(name), identity: .init(device: 1, inode: inode), kind: kind, size: size, modified: 5,
            mode: 0o644, owner: 0, target: nil)
    }

    private func names(_ listing: DirectoryListing) -> [String] { listing.entries.map(\.path.text) }

    @Test("two canonically equivalent names with different bytes → two entries, each with its own name")
    func equivalentNames() throws {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        let listing = DirectoryListing()
        _ = try listing.replace(with: [entry(composed, inode: 1), entry("keep", inode: 2)])
        let changes = try listing.apply(
            renames: [],
            statuses: [
                EntryPath(composed): nil,
                EntryPath(decomposed): entry(decomposed, inode: 3),
            ])
        #expect(changes.removed.map { Array($0.utf8) } == [Array(composed.utf8)])
        #expect(changes.upserts.map { Array($0.object.id.utf8) } == [Array(decomposed.utf8)])
        #expect(listing.count == 2)
    }

    @Test("entries in any order → directories come first, and entries are sorted by name without regard to case")
    func order() throws {
        let listing = DirectoryListing()
        let objects = try listing.replace(with: [
            entry("b"), entry("Zoo", .directory), entry("a10"), entry("B"), entry("A"), entry("apes", .directory),
        ])
        #expect(objects.map(\.id) == ["apes", "Zoo", "A", "a10", "B", "b"])
        #expect(objects.map(\.type) == ["directory", "directory", "file", "file", "file", "file"])
    }

    @Test("entries with directories and files → the first directory and the first file each have a heading")
    func headings() throws {
        let listing = DirectoryListing()
        var objects = try listing.replace(with: [
            entry("f"), entry("d", .directory), entry("g"), entry("e", .directory),
        ])
        #expect(objects.map { $0.fields["heading"]?.string } == ["Directories", nil, "Files", nil])
        objects = try listing.replace(with: [entry("f"), entry("g")])
        #expect(objects.allSatisfy { $0.fields["heading"] == nil })
    }

    @Test("a new first entry → the heading moves to the new entry, and both entries are updated")
    func movingHeading() throws {
        let listing = DirectoryListing()
        _ = try listing.replace(with: [entry("m", .directory), entry("x")])
        let changes = try listing.apply(renames: [], statuses: [EntryPath("a"): entry("a", .directory)])
        #expect(changes.removed.isEmpty)
        #expect(changes.upserts.map(\.object.id) == ["a", "m"])
        #expect(changes.upserts.map(\.position) == [.first, .keep])
        #expect(changes.upserts.map { $0.object.fields["heading"]?.string } == ["Directories", nil])
    }

    @Test("the attributes of an entry change → the object is updated and keeps its position")
    func content() throws {
        let listing = DirectoryListing()
        _ = try listing.replace(with: [entry("a"), entry("b")])
        let changes = try listing.apply(renames: [], statuses: [EntryPath("b"): entry("b", size: 9)])
        #expect(changes.removed.isEmpty)
        #expect(changes.upserts.map(\.position) == [.keep])
        #expect(changes.upserts.first?.object.fields["size"] == .uint64(9))
        #expect(try listing.apply(renames: [], statuses: [EntryPath("b"): entry("b", size: 9)]).isEmpty)
    }

    @Test("an entry is renamed → the same object gets the new name and moves to its new position")
    func rename() throws {
        let listing = DirectoryListing()
        _ = try listing.replace(with: [entry("a"), entry("b"), entry("c")])
        let changes = try listing.apply(
            renames: [.init(from: EntryPath("a"), to: EntryPath("d"))],
            statuses: [EntryPath("a"): nil, EntryPath("d"): entry("d")])
        #expect(changes.removed.isEmpty)
        #expect(changes.upserts.map(\.object.id) == ["a"])
        #expect(changes.upserts.map(\.position) == [.after("c")])
        #expect(names(listing) == ["b", "c", "d"])
    }

    @Test("a new file gets the old name of a renamed file → the new file gets an identifier with a number")
    func takenName() throws {
        let listing = DirectoryListing()
        _ = try listing.replace(with: [entry("a")])
        let changes = try listing.apply(
            renames: [.init(from: EntryPath("a"), to: EntryPath("b"))],
            statuses: [EntryPath("a"): entry("a"), EntryPath("b"): entry("b")])
        #expect(changes.upserts.map(\.object.id) == ["a#2", "a"])
        #expect(names(listing) == ["a", "b"])
    }

    @Test("a moved file replaces another file → the replaced file's object is updated, the moved file's object removed")
    func replacement() throws {
        let listing = DirectoryListing()
        _ = try listing.replace(with: [entry("notes", inode: 1), entry("notes.tmp", inode: 2)])
        let changes = try listing.apply(
            renames: [.init(from: EntryPath("notes.tmp"), to: EntryPath("notes"))],
            statuses: [EntryPath("notes.tmp"): nil, EntryPath("notes"): entry("notes", inode: 2, size: 3)])
        #expect(changes.removed == ["notes.tmp"])
        #expect(changes.upserts.map(\.object.id) == ["notes"])
    }

    @Test("two entries swap their names → each object keeps its identifier and gets the other name")
    func swap() throws {
        let listing = DirectoryListing()
        _ = try listing.replace(with: [entry("a", inode: 1), entry("b", inode: 2)])
        let changes = try listing.apply(
            renames: [("a", "t"), ("b", "a"), ("t", "b")].map { .init(from: EntryPath($0), to: EntryPath($1)) },
            statuses: [
                EntryPath("t"): nil, EntryPath("a"): entry("a", inode: 2), EntryPath("b"): entry("b", inode: 1),
            ])
        var list = NaiveList()
        list.apply(.replace(try DirectoryListing().replace(with: [entry("a", inode: 1), entry("b", inode: 2)])))
        list.apply(removed: changes.removed, upserts: changes.upserts)
        #expect(list.objects.map(\.id) == ["b", "a"])
        #expect(list.names == ["a", "b"])
    }

    @Test("the directory is read again after unobserved renames → the same inode keeps its identifier")
    func readAgain() throws {
        let listing = DirectoryListing()
        _ = try listing.replace(with: [entry("a", inode: 1), entry("b", inode: 2)])
        let objects = try listing.replace(with: [entry("z", inode: 1), entry("b", inode: 9), entry("n", inode: 4)])
        #expect(objects.map(\.id) == ["b", "n", "a"])
    }

    @Test("5,000 entries are read again, half of them renamed → renamed entries keep their identifiers")
    func many() throws {
        var random = Random(state: 3)
        var numbers = Array(0..<5000)
        for index in numbers.indices { numbers.swapAt(index, random.below(numbers.count)) }
        let listing = DirectoryListing()
        var objects = try listing.replace(with: numbers.map { entry("n\(10_000 + $0)", inode: UInt64($0)) })
        #expect(objects.map(\.id) == (0..<5000).map { "n\(10_000 + $0)" })
        let prefix = { $0 % 2 == 0 ? "m" : "n" }
        objects = try listing.replace(
            with: numbers.reversed().map { entry("\(prefix($0))\(10_000 + $0)", inode: UInt64($0)) })
        let inOrder = Array(stride(from: 0, to: 5000, by: 2)) + Array(stride(from: 1, to: 5000, by: 2))
        #expect(names(listing) == inOrder.map { "\(prefix($0))\(10_000 + $0)" })
        #expect(objects.map(\.id) == inOrder.map { "n\(10_000 + $0)" })
    }

    @Test("names that are not UTF-8 → text with U+FFFD, the raw bytes in a field, and distinct identifiers")
    func bytes() throws {
        let listing = DirectoryListing()
        var odd = [entry("x"), entry("x")]
        odd[0].path = EntryPath(bytes: [0x66, 0xFF])
        odd[1].path = EntryPath(bytes: [0x66, 0xFE])
        let objects = try listing.replace(with: odd)
        #expect(Set(objects.map(\.id)).count == 2)
        #expect(objects.allSatisfy { $0.fields["name"] == "f\u{FFFD}" })
        #expect(objects.map { $0.fields["raw-name"]?.array?.compactMap(\.int) } == [[0x66, 0xFE], [0x66, 0xFF]])
    }

    @Test("500 rounds of random changes → a list that applies the changes equals the listing", arguments: 0..<4)
    func random(seed: UInt64) throws {
        var random = Random(state: seed)
        let names = (0..<8).map { EntryPath("\($0 % 2 == 0 ? "n" : "N")\($0)") }
        let listing = DirectoryListing()
        var disk: [EntryPath: FileEntry] = [:]
        var list = NaiveList()
        var nextInode: UInt64 = 1
        for _ in 0..<500 {
            var pending = PendingChanges()
            for _ in 0...random.below(4) {
                let name = names[random.below(names.count)]
                let other = names[random.below(names.count)]
                switch random.below(4) {
                case 0:
                    disk[name] = nil
                    pending.record(.touched(name))
                case 1 where disk[name] != nil && name != other:
                    let cookie = UInt32(nextInode)
                    nextInode += 1
                    disk[other] = disk[name]
                    disk[other]?.path = other
                    disk[name] = nil
                    pending.record(.movedFrom(name, cookie: cookie))
                    pending.record(.movedTo(other, cookie: cookie))
                default:
                    var new = entry(name.text, random.below(3) == 0 ? .directory : .file, inode: nextInode)
                    new.size = UInt64(random.below(3))
                    nextInode += 1
                    disk[name] = new
                    pending.record(.touched(name))
                }
            }
            if random.below(20) == 0 {
                list.apply(.replace(try listing.replace(with: Array(disk.values))))
            } else {
                let statuses = Dictionary(uniqueKeysWithValues: pending.touched.map { ($0, disk[$0]) })
                let changes = try listing.apply(renames: pending.renames, statuses: statuses)
                list.apply(removed: changes.removed, upserts: changes.upserts)
            }
            #expect(list.objects == (try listing.objects()))
            #expect(list.names == disk.values.map { $0 }.sorted { EntryOrder($0) < EntryOrder($1) }.map(\.path.text))
            #expect(Set(list.objects.map(\.id)).count == disk.count)
        }
    }
}
