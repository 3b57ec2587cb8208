// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import PluginAPI
import Testing

@testable import files

@Suite("Following a directory tree", .timeLimit(.minutes(3)))
struct TreeTests {
    @Test("directories are nested → each entry follows its directory, has path and depth, and has no heading")
    func contents() async throws {
        let scratch = try Scratch()
        try scratch.makeDirectory("sub")
        try scratch.makeDirectory("sub/deep")
        for name in ["top", "sub/one", "sub/deep/two"] { try scratch.write(name) }
        var following = FollowedDirectory("\(scratch.path)&recursive")
        await following.wait(forPaths: ["sub", "sub/deep", "sub/deep/two", "sub/one", "top"])
        let two = try #require(following.list.object(named: "two"))
        #expect(two.id == "sub/deep/two")
        #expect(two.fields["depth"] == .uint32(2))
        #expect(following.list.objects.allSatisfy { $0.fields["heading"] == nil })
    }

    @Test("a tree is created in one burst, as by unpacking an archive → every entry is listed")
    func unpacked() async throws {
        let scratch = try Scratch()
        var following = FollowedDirectory("\(scratch.path)&recursive")
        await following.wait { list, _ in list.objects.isEmpty }
        var count = 0
        for outer in 0..<10 {
            try scratch.makeDirectory("d\(outer)")
            for inner in 0..<10 {
                try scratch.makeDirectory("d\(outer)/e\(inner)")
                for file in 0..<20 { try scratch.write("d\(outer)/e\(inner)/f\(file)") }
                count += 21
            }
            count += 1
        }
        await following.wait { list, _ in list.objects.count == count }
        #expect(following.list.paths == scratch.walk())
    }

    @Test("a tree changes while its directories are read in a thousand steps → the list equals the final tree")
    func manyTurns() async throws {
        let scratch = try Scratch()
        for outer in 0..<10 {
            try scratch.makeDirectory("d\(outer)")
            for file in 0..<100 { try scratch.write("d\(outer)/f\(file)") }
        }
        var following = FollowedDirectory("\(scratch.path)&recursive", turnTime: .zero)
        for outer in 0..<5 {
            try scratch.rename("d\(outer)", to: "e\(outer)")
            try scratch.rename("d9/f\(outer)", to: "d8/g\(outer)")
            try scratch.delete("d7/f\(outer)")
            try scratch.makeDirectory("d6/new\(outer)")
            try scratch.write("d6/new\(outer)/file")
        }
        let wanted = scratch.walk()
        await following.wait(forPaths: wanted)
        try scratch.rename("d5", to: "z")
        let renamed = scratch.walk()
        await following.wait(forPaths: renamed)
        #expect(following.list.object(at: "z/f7")?.id == "d5/f7")
        #expect(following.failures.isEmpty)
    }

    @Test(
        "the directory is removed while it is read → the list fails; the directory is created again → the list recovers"
    )
    func goneWhileRead() async throws {
        let scratch = try Scratch()
        for number in 0..<300 { try scratch.write("f\(number)") }
        var following = FollowedDirectory("\(scratch.path)&recursive", turnTime: .zero)
        try scratch.remove()
        await following.wait { _, failures in !failures.isEmpty }
        try scratch.make()
        try scratch.write("b")
        await following.wait(forPaths: ["b"])
    }

    @Test("a directory is renamed → objects below the directory keep their identifiers, and later changes are listed")
    func renamedDirectory() async throws {
        let scratch = try Scratch()
        try scratch.makeDirectory("b")
        try scratch.makeDirectory("b/in")
        for name in ["b/in/x", "b/y", "a"] { try scratch.write(name) }
        var following = FollowedDirectory("\(scratch.path)&recursive")
        await following.wait(forPaths: ["b", "b/in", "b/in/x", "b/y", "a"])
        try scratch.rename("b", to: "z")
        await following.wait(forPaths: ["z", "z/in", "z/in/x", "z/y", "a"])
        #expect(following.list.objects.map(\.id) == ["b", "b/in", "b/in/x", "b/y", "a"])
        try scratch.write("z/in/new")
        await following.wait(forPaths: ["z", "z/in", "z/in/new", "z/in/x", "z/y", "a"])
        try scratch.rename("z/in/x", to: "z/moved")
        await following.wait(forPaths: ["z", "z/in", "z/in/new", "z/moved", "z/y", "a"])
        #expect(following.list.object(named: "moved")?.id == "b/in/x")
    }

    @Test("directories are moved into or out of the tree → their entries are added to or removed from the list")
    func movedOutAndIn() async throws {
        let scratch = try Scratch()
        let elsewhere = try Scratch()
        try scratch.makeDirectory("d")
        try scratch.write("d/x")
        try elsewhere.makeDirectory("e")
        try elsewhere.write("e/y")
        var following = FollowedDirectory("\(scratch.path)&recursive")
        await following.wait(forPaths: ["d", "d/x"])
        try FileManager.default.moveItem(atPath: scratch.path(of: "d"), toPath: elsewhere.path(of: "d"))
        await following.wait(forPaths: [])
        try FileManager.default.moveItem(atPath: elsewhere.path(of: "e"), toPath: scratch.path(of: "d"))
        await following.wait(forPaths: ["d", "d/y"])
        try elsewhere.write("d/unseen")
        try scratch.write("d/seen")
        await following.wait(forPaths: ["d", "d/seen", "d/y"])
        #expect(following.failures.isEmpty)
    }

    @Test("a directory is deleted and immediately created again → its new entries and their later changes are listed")
    func deletedAndMade() async throws {
        let scratch = try Scratch()
        try scratch.makeDirectory("d")
        try scratch.write("d/old")
        var following = FollowedDirectory("\(scratch.path)&recursive")
        await following.wait(forPaths: ["d", "d/old"])
        try scratch.delete("d")
        try scratch.makeDirectory("d")
        try scratch.write("d/new")
        await following.wait(forPaths: ["d", "d/new"])
        try scratch.write("d/newer")
        await following.wait(forPaths: ["d", "d/new", "d/newer"])
    }

    @Test("a depth limit → directories at the last level are listed without their entries, even after a move")
    func depth() async throws {
        let scratch = try Scratch()
        for name in ["a", "a/b", "a/b/c"] { try scratch.makeDirectory(name) }
        try scratch.write("a/b/c/file")
        var following = FollowedDirectory("\(scratch.path)&depth=1")
        await following.wait(forPaths: ["a", "a/b"])
        try scratch.rename("a/b", to: "b")
        await following.wait(forPaths: ["a", "b", "b/c"])
        #expect(following.list.object(named: "b")?.id == "a/b")
        try scratch.rename("b", to: "a/again")
        await following.wait(forPaths: ["a", "a/again"])
        #expect(following.list.object(named: "again")?.id == "a/b")
    }

    @Test("a symbolic link to a directory or to a parent → the link itself is listed, not the target's entries")
    func links() async throws {
        let scratch = try Scratch()
        try scratch.makeDirectory("d")
        for (name, target) in [("d/up", ".."), ("side", "d")] {
            try FileManager.default.createSymbolicLink(atPath: scratch.path(of: name), withDestinationPath: target)
        }
        var following = FollowedDirectory("\(scratch.path)&recursive")
        await following.wait(forPaths: ["d", "d/up", "side"])
        #expect(following.list.object(named: "up")?.type == "link")
    }

    @Test("hidden directories are excluded → a directory and its entries are listed while its name has no leading dot")
    func hidden() async throws {
        let scratch = try Scratch()
        try scratch.makeDirectory(".git")
        try scratch.write(".git/config")
        var following = FollowedDirectory("\(scratch.path)&recursive&hidden=no")
        await following.wait { list, _ in list.objects.isEmpty }
        try scratch.rename(".git", to: "git")
        await following.wait(forPaths: ["git", "git/config"])
        try scratch.rename("git", to: ".git")
        await following.wait(forPaths: [])
    }

    @Test("more entries than allowed → the list fails with an error that names the setting, and keeps its objects")
    func tooMany() async throws {
        let scratch = try Scratch()
        for number in 0..<5 { try scratch.write("\(number)") }
        var following = FollowedDirectory("\(scratch.path)&recursive", settings: ["MaximumEntries": "5"])
        await following.wait { list, _ in list.objects.count == 5 }
        try scratch.write("5")
        await following.wait { _, failures in !failures.isEmpty }
        #expect(following.failures.first?.contains("more than 5 entries (MaximumEntries") == true)
        #expect(following.list.objects.count == 5)
        var other = FollowedDirectory(scratch.path, settings: ["MaximumEntries": "3"])
        await other.wait { _, failures in !failures.isEmpty }
        #expect(other.list.objects.isEmpty)
    }

    @Test("a directory with too many names → reading fails before any attributes are read")
    func tooManyNames() throws {
        let scratch = try Scratch()
        for number in 0..<5 { try scratch.write("\(number)") }
        let settings = PluginSettings(["MaximumEntries": "4"])
        let reading = TreeReading(try DirectoryOptions(scratch.path, settings: settings), from: .root, watch: nil)
        // The first step reads the names.
        #expect(throws: Tree.TooLong.self) { try reading.proceed(until: .now) }
        #expect(reading.entries.isEmpty)
    }

    /// The maximum number of events in the kernel's queue of one inotify instance.
    private static let queueLength =
        (try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8))
        .flatMap { Int($0.filter(\.isNumber)) } ?? .max

    @Test(
        "the inotify queue overflows → everything is read again, and renamed entries keep their identifiers",
        .enabled(if: queueLength <= 40_000, "inotify's queue is too long to be filled"))
    func overflow() async throws {
        let scratch = try Scratch()
        try scratch.makeDirectory("d")
        try scratch.write("d/a")
        let hold = DispatchSemaphore(value: 0)
        var following = FollowedDirectory("\(scratch.path)&recursive") { hold.wait() }
        // The source blocks until its first list is consumed, so that the events of the following changes overflow
        // the queue.
        hold.signal()
        await following.wait(forPaths: ["d", "d/a"])
        try scratch.write("one more, which the source waits with")
        for number in 0..<(Self.queueLength / 2 + 100) {
            let name = "f\(number % 50)"
            try scratch.write(name, "x")
            try scratch.delete(name)
        }
        try scratch.rename("d", to: "e")
        try scratch.rename("e/a", to: "e/b")
        for _ in 0..<10_000 { hold.signal() }
        await following.wait(forPaths: ["e", "e/b", "one more, which the source waits with"])
        #expect(following.list.object(named: "b")?.id == "d/a")
        try scratch.write("e/c")
        await following.wait(forPaths: ["e", "e/b", "e/c", "one more, which the source waits with"])
        #expect(following.failures.isEmpty)
    }

    @Test("a directory without read permission → its entry is marked as unreadable, and all other entries are listed")
    func unreadable() throws {
        let scratch = try Scratch()
        for name in ["open", "closed"] {
            try scratch.makeDirectory(name)
            try scratch.write("\(name)/x")
        }
        for path in [scratch.path, scratch.path(of: "open")] { #expect(unsafe chmod(path, 0o755) == 0) }
        #expect(unsafe chmod(scratch.path(of: "closed"), 0) == 0)
        // Root may read every directory, so this thread accesses the file system as the user nobody.
        try setFileSystemUser(65534)
        defer { try? setFileSystemUser(geteuid()) }
        let options = try DirectoryOptions("\(scratch.path)&recursive", settings: PluginSettings())
        let reading = TreeReading(options, from: .root, watch: try TreeWatch())
        while try !reading.proceed(until: .now) {}
        let entries = reading.entries
        #expect(Set(entries.map(\.path.text)) == ["open", "open/x", "closed"])
        #expect(entries.filter(\.isUnreadable).map(\.path.text) == ["closed"])
        let closed = try #require(entries.first { $0.isUnreadable })
        #expect(try closed.object(id: "closed", heading: nil, isRecursive: true).fields["unreadable"] == true)
    }

    @Test(
        "60 bursts of random changes → the list equals the tree after each burst, and renamed entries keep their objects",
        arguments: [1, 2], [Duration.milliseconds(100), .zero])
    func random(seed: UInt64, turnTime: Duration) async throws {
        var random = Random(state: seed)
        let scratch = try Scratch()
        var following = FollowedDirectory("\(scratch.path)&recursive", turnTime: turnTime)
        await following.wait { list, _ in list.objects.isEmpty }
        for step in 0..<60 {
            for _ in 0...random.below(5) {
                let all = scratch.walk()
                let directories = [""] + all.filter { scratch.isDirectory($0) }
                let parent = directories[random.below(directories.count)]
                let name = (parent.isEmpty ? "" : parent + "/") + "n\(random.below(6))"
                let chosen = all.isEmpty ? nil : all[random.below(all.count)]
                switch random.below(5) {
                case 0: try? scratch.makeDirectory(name)
                case 1: try? scratch.write(name, String(repeating: "x", count: random.below(9)))
                case 2: if let chosen { try? scratch.delete(chosen) }
                default: if let chosen, !"\(name)/".hasPrefix("\(chosen)/") { try? scratch.rename(chosen, to: name) }
                }
            }
            if let chosen = scratch.walk().first, step % 3 == 0, !following.failures.isEmpty {
                Issue.record("\(chosen)")
            }
            let wanted = scratch.walk()
            await following.wait { list, _ in list.paths == wanted }
            #expect(Set(following.list.objects.map(\.id)).count == wanted.count)
            if let chosen = wanted.last {
                let id = following.list.object(at: chosen)?.id
                try scratch.rename(chosen, to: "renamed\(step)")
                let renamed = scratch.walk()
                await following.wait { list, _ in list.paths == renamed }
                #expect(following.list.object(at: "renamed\(step)")?.id == id)
            }
        }
        #expect(following.failures.isEmpty)
    }
}

/// Calls setfsuid(2) for this thread; Glibc's module does not have this function.
private func setFileSystemUser(_ user: uid_t) throws {
    // The C library is never unloaded, so the pointer stays valid.
    let function = try #require(unsafe dlsym(nil, "setfsuid"))
    _ = unsafe unsafeBitCast(function, to: (@convention(c) (uid_t) -> CInt).self)(user)
}

extension FollowedDirectory {
    mutating func wait(forPaths paths: [String]) async { await wait { list, _ in list.paths == paths } }
}

extension NaiveList {
    /// The paths of the entries, in order.
    var paths: [String] { objects.map { $0.fields["path"]?.string ?? "?" } }

    func object(at path: String) -> ListObject? { objects.first { $0.fields["path"]?.string == path } }
}

extension Scratch {
    func isDirectory(_ name: String) -> Bool {
        var status = stat()
        return unsafe lstat(path(of: name), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns all paths below a directory in the order of the list, computed without the plugin.
    func walk(_ directory: String = "") -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path(of: directory))) ?? []
        let paths = names.map { directory.isEmpty ? $0 : "\(directory)/\($0)" }
        let directories = paths.filter { isDirectory($0) }.sorted { $0.lowercased() < $1.lowercased() }
        let files = paths.filter { !isDirectory($0) }.sorted { $0.lowercased() < $1.lowercased() }
        return directories.flatMap { [$0] + walk($0) } + files
    }
}
