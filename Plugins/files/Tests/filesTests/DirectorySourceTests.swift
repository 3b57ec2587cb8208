// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import Testing

@testable import files

@Suite("Following a directory", .timeLimit(.minutes(1)))
struct DirectorySourceTests {
    @Test("a directory has entries → each object has name, kind, size, times, mode and owner of its entry")
    func contents() async throws {
        let scratch = try Scratch()
        try scratch.write("notes.txt", "hello")
        try scratch.makeDirectory("sub")
        var following = FollowedDirectory(scratch.path)
        await following.wait(forNames: ["sub", "notes.txt"])
        let file = try #require(following.list.object(named: "notes.txt"))
        #expect(file.id == "notes.txt")
        #expect(file.type == "file")
        #expect(file.fields["size"] == .uint64(5))
        #expect(try #require(file.fields["modified"]?.int) > 1_600_000_000_000_000)
        #expect(try #require(file.fields["mode"]?.int) & 0o170600 == 0o100600)
        #expect(file.fields["owner"]?.int != nil)
        #expect(following.list.object(named: "sub")?.fields["size"] == nil)
    }

    @Test("files are created, renamed, extended and deleted → the list is updated, and a renamed file keeps its object")
    func changes() async throws {
        let scratch = try Scratch()
        try scratch.write("b")
        var following = FollowedDirectory(scratch.path)
        await following.wait(forNames: ["b"])
        try scratch.write("a", "1")
        await following.wait(forNames: ["a", "b"])
        try scratch.rename("a", to: "c")
        await following.wait(forNames: ["b", "c"])
        #expect(following.list.object(named: "c")?.id == "a")
        try scratch.append("c", "23")
        await following.wait { list, _ in list.object(named: "c")?.fields["size"] == .uint64(3) }
        try scratch.delete("b")
        await following.wait(forNames: ["c"])
        #expect(following.list.object(named: "c")?.id == "a")
    }

    @Test("a file grows 50 times in a row → the list gets its final size")
    func burst() async throws {
        let scratch = try Scratch()
        try scratch.write("log")
        var following = FollowedDirectory(scratch.path)
        await following.wait(forNames: ["log"])
        for _ in 0..<50 { try scratch.append("log", "line\n") }
        await following.wait { list, _ in list.object(named: "log")?.fields["size"] == .uint64(250) }
    }

    @Test("2,000 files are created in one burst → the list has all files, in order")
    func many() async throws {
        let scratch = try Scratch()
        var following = FollowedDirectory(scratch.path)
        await following.wait { list, _ in list.names.isEmpty }
        for number in 0..<2000 { try scratch.write("f\(10_000 + number)") }
        await following.wait { list, _ in list.objects.count == 2000 }
        #expect(following.list.names == following.list.names.sorted())
    }

    @Test("a temporary file is moved over a file → the object of the replaced file is updated")
    func replaced() async throws {
        let scratch = try Scratch()
        try scratch.write("notes", "1")
        var following = FollowedDirectory(scratch.path)
        await following.wait(forNames: ["notes"])
        try scratch.write(".notes.tmp", "12345")
        try scratch.rename(".notes.tmp", to: "notes")
        await following.wait { list, _ in
            list.names == ["notes"] && list.object(named: "notes")?.fields["size"] == .uint64(5)
        }
        #expect(following.list.objects.map(\.id) == ["notes"])
    }

    @Test("hidden files are excluded → hidden files and files that are renamed to a hidden name are not listed")
    func hidden() async throws {
        let scratch = try Scratch()
        try scratch.write(".profile")
        try scratch.write("a")
        try scratch.write("b")
        var following = FollowedDirectory("\(scratch.path)&hidden=no")
        await following.wait(forNames: ["a", "b"])
        try scratch.rename("a", to: ".a")
        await following.wait(forNames: ["b"])
    }

    @Test("the directory is removed and created again → the list fails, then follows the new directory")
    func goneAndBack() async throws {
        let scratch = try Scratch()
        try scratch.write("a")
        var following = FollowedDirectory(scratch.path)
        await following.wait(forNames: ["a"])
        try scratch.remove()
        await following.wait { _, failures in !failures.isEmpty }
        #expect(following.failures.first?.contains(scratch.path) == true)
        #expect(following.list.names.count <= 1)
        try scratch.make()
        try scratch.write("b")
        await following.wait(forNames: ["b"])
        try scratch.write("c")
        await following.wait(forNames: ["b", "c"])
    }

    @Test("a parent directory is renamed and replaced → the replacement is followed")
    func renamedAbove() async throws {
        let scratch = try Scratch()
        for name in ["top", "top/mid", "top/mid/low", "other", "other/mid", "other/mid/low"] {
            try scratch.makeDirectory(name)
        }
        try scratch.write("top/mid/low/a")
        try scratch.write("other/mid/low/b")
        var following = FollowedDirectory(scratch.path(of: "top/mid/low"))
        await following.wait(forNames: ["a"])
        try scratch.rename("top", to: "gone")
        try scratch.rename("other", to: "top")
        await following.wait(forNames: ["b"])
        try scratch.write("top/mid/low/c")
        await following.wait(forNames: ["b", "c"])
    }

    @Test(
        "a symbolic link in the path gets another target → the list follows the new target directory",
        arguments: ["release-2", "next"])
    func turned(target: String) async throws {
        let scratch = try Scratch()
        for name in ["release-1", "release-2"] {
            try scratch.makeDirectory(name)
            try scratch.makeDirectory(name + "/data")
            try scratch.write("\(name)/data/of-\(name)")
        }
        try scratch.link("next", to: scratch.path(of: "release-2"))
        try scratch.link("current", to: "release-1")
        var following = FollowedDirectory(scratch.path(of: "current/data"))
        await following.wait(forNames: ["of-release-1"])
        try scratch.link("new", to: target)
        try scratch.rename("new", to: "current")
        await following.wait(forNames: ["of-release-2"])
        try scratch.write("release-2/data/z")
        await following.wait(forNames: ["of-release-2", "z"])
        #expect(following.failures.isEmpty)
    }

    @Test("the directory is missing → the error has path and reason; the directory is created → the list follows it")
    func missing() async throws {
        let scratch = try Scratch()
        try scratch.remove()
        var following = FollowedDirectory(scratch.path)
        await following.wait { _, failures in !failures.isEmpty }
        #expect(following.failures == ["\(scratch.path): No such file or directory"])
        try scratch.make()
        try scratch.write("x")
        await following.wait(forNames: ["x"])
    }

    @Test("the path leads to a file → the list fails with the reason")
    func notADirectory() async throws {
        let scratch = try Scratch()
        try scratch.write("file")
        var following = FollowedDirectory(scratch.path(of: "file"))
        await following.wait { _, failures in !failures.isEmpty }
        #expect(following.failures == ["\(scratch.path(of: "file")): Not a directory"])
    }

    @Test(
        "the path is not absolute, or an option is unknown → invalidArguments names the wrong part",
        arguments: ["", "tmp", "./x", "/a&recursion", "/a&depth=x&b"])
    func badPath(path: String) async {
        let entry = DataSourceEntry.source("directory") { try DirectorySource($0) }
        let runner = DataSourceRunner(entry, argument: path, host: PluginHost()) { _ in }
        let error = await withCheckedContinuation { done in runner.make { done.resume(returning: $0) } }
        #expect(error?.code == .invalidArguments)
        #expect(error?.message.contains("“") == true)
    }
}
