// SPDX-License-Identifier: Apache-2.0

import Foundation
import ListKit
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Checking a plugin's file before loading")
struct PluginFileTests {
    private let directory: PluginBuildDirectory

    init() throws {
        directory = try PluginBuildDirectory()
    }

    /// Returns the first bytes of a shared object for this machine, taken from the executable of this process.
    private func head(class bits: UInt8 = 2, order: UInt8 = 1, type: UInt8 = 3, machine: UInt8? = nil) throws -> [UInt8]
    {
        let own = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/exe"))
        var head = [UInt8](try #require(try own.read(upToCount: 20)))
        head[4] = bits
        head[5] = order
        head[16] = type
        if let machine { head[18] = machine }
        return head
    }

    private func load(_ name: String, identity: ProcessIdentity = .current) throws(ListError) -> PluginFile {
        try PluginFile(path: directory.path(name), in: [directory.directory], identity: identity)
    }

    private func refusal(_ name: String, identity: ProcessIdentity = .current) -> String? {
        do throws(ListError) {
            _ = try load(name, identity: identity)
            return nil
        } catch {
            return error.code == .pluginRefused ? error.description : nil
        }
    }

    @Test("only the owner may write a shared object for this machine → it is accepted, with its canonical path")
    func good() throws {
        try directory.write(head(), to: "good.so")
        let file = try load("good.so")
        #expect(file.path == directory.path("good.so"))
        #expect(file.pluginName == "good")
    }

    @Test("files named libNAME.so and NAME.so → the plugin's name is NAME")
    func names() throws {
        try directory.write(head(), to: "libgreen-house_2.so")
        #expect(try load("libgreen-house_2.so").pluginName == "green-house_2")
    }

    @Test("the file is missing → noSuchPlugin names the file")
    func missing() {
        let error = #expect(throws: ListError.self) { try load("missing.so") }
        #expect(error?.code == .noSuchPlugin)
        #expect(error?.message.contains("missing.so") == true)
    }

    @Test(
        "the dynamic loader could not load the file → it is refused with the reason",
        arguments: [
            ("text", "not an ELF file"), ("empty", "not an ELF file"), ("short", "not a 64-bit little-endian ELF file"),
            ("32-bit", "not a 64-bit little-endian ELF file"), ("big-endian", "not a 64-bit little-endian ELF file"),
            ("program", "not a shared object (ELF type 2)"), ("foreign", "built for ELF machine 8"),
        ])
    func unfit(what: String, reason: String) throws {
        let bytes =
            switch what {
            case "text": Array("#!/bin/sh\n".utf8)
            case "short": Array(try head().prefix(12))
            case "32-bit": try head(class: 1)
            case "big-endian": try head(order: 2)
            case "program": try head(type: 2)
            case "foreign": try head(machine: 8)
            default: [UInt8]()
            }
        try directory.write(bytes, to: "\(what).so")
        let text = try #require(refusal("\(what).so"))
        #expect(text.contains(reason))
        #expect(text.contains("\(what).so"))
    }

    @Test("the file is a directory or a pipe → it is refused, without waiting for a writer")
    func notRegular() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path("directory.so"), withIntermediateDirectories: false)
        let made = unsafe mkfifo(directory.path("pipe.so"), 0o600)
        try #require(made == 0)
        #expect(refusal("directory.so")?.contains("not a regular file") == true)
        #expect(refusal("pipe.so")?.contains("not a regular file") == true)
    }

    @Test("any user may write the file → it is refused, and the error has its mode", arguments: [0o757, 0o777, 0o702])
    func writableByOthers(mode: Int) throws {
        try directory.write(head(), to: "open.so", mode: mode)
        #expect(refusal("open.so")?.contains("mode \(String(mode, radix: 8))") == true)
    }

    @Test("another group may write the file → it is refused; the daemon's own group may write it → it is accepted")
    func writableByGroup() throws {
        try directory.write(head(), to: "group.so", mode: 0o775)
        let own = ProcessIdentity.current
        #expect(throws: Never.self) { try load("group.so") }
        if own.user == 0 {
            try directory.setOwner(of: "group.so", user: 0, group: 4711)
            #expect(refusal("group.so")?.contains("group 4711") == true)
        }
    }

    @Test("another user owns the file → the error names both users; root owns it → any user of listd may load it")
    func owners() throws {
        try directory.write(head(), to: "owned.so")
        let owner = ProcessIdentity.current.user
        let other = ProcessIdentity(user: owner + 1, group: ProcessIdentity.current.group)
        if owner == 0 {
            #expect(refusal("owned.so", identity: other) == nil)
            try directory.setOwner(of: "owned.so", user: 4711, group: 0)
            #expect(refusal("owned.so")?.contains("owned by user 4711, not by root or user 0") == true)
        } else {
            #expect(refusal("owned.so", identity: other)?.contains("owned by user \(owner)") == true)
        }
    }

    @Test("any user may write the plugin directory → its files are refused, because a user could replace them")
    func writableDirectory() throws {
        try directory.write(head(), to: "good.so")
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory.directory)
        #expect(refusal("good.so")?.contains("its plugin directory is not safe") == true)
    }

    @Test("any user may write a parent directory of the file → the file is refused; otherwise → it is accepted")
    func writableBelow() throws {
        for name in ["more", "more/deep"] {
            try FileManager.default.createDirectory(
                atPath: directory.path(name), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o755])
        }
        try directory.write(head(), to: "more/deep/good.so")
        #expect(try load("more/deep/good.so").path == directory.path("more/deep/good.so"))
        for open in ["more", "more/deep"] {
            let path = directory.path(open)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
            #expect(refusal("more/deep/good.so")?.contains("its plugin directory is not safe") == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
    }

    @Test("a link leads to a file in the plugin directory → the link is resolved; it leads elsewhere → it is refused")
    func links() throws {
        try directory.write(head(), to: "good.so")
        try FileManager.default.createSymbolicLink(atPath: directory.path("inside.so"), withDestinationPath: "good.so")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("outside.so"), withDestinationPath: "/bin/true")
        #expect(try load("inside.so").path == directory.path("good.so"))
        #expect(refusal("outside.so")?.contains("in no plugin directory") == true)
        #expect(refusal("../\(URL(filePath: directory.directory).lastPathComponent)x/a.so") == nil)
    }

    @Test("a plugin is requested by name → the file NAME.so or libNAME.so of the first directory with either is found")
    func search() throws {
        let second = try PluginBuildDirectory()
        try directory.write(head(), to: "libboth.so")
        try second.write(head(), to: "both.so")
        try second.write(head(), to: "other.so")
        let directories = PluginDirectories(["/nonexistent", directory.directory, second.directory])
        #expect(try directories.find("both").path == directory.path("libboth.so"))
        #expect(try directories.find("other").path == second.path("other.so"))
        #expect(try directories.find("other.so").path == second.path("other.so"))
        #expect(try directories.find(second.path("both.so")).path == second.path("both.so"))
        for unknown in ["", "nobody", "a\0b", "../etc/passwd"] {
            let error = #expect(throws: ListError.self) { try directories.find(unknown) }
            #expect(error?.code == .noSuchPlugin)
        }
        let error = #expect(throws: ListError.self) { try directories.find("/bin/true") }
        #expect(error?.code == .pluginRefused)
    }

    @Test("a plugin directory cannot be read → pluginRefused says so, and no later directory is used")
    func unreadable() throws {
        let loop = directory.path("loop")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        try directory.write(head(), to: "a.so")
        let error = #expect(throws: ListError.self) { try PluginDirectories([loop, directory.directory]).find("a") }
        #expect(error?.code == .pluginRefused)
        #expect(
            error?.message.contains("\(loop)/a.so".shortenedPath) == true
                && error?.message.contains("cannot be read") == true)
        #expect(error?.cause == "Too many levels of symbolic links")
    }

    @Test(
        "a path is outside of plugin directories, or a name is unknown → the error says from where plugins are loaded",
        arguments: [
            ("/bin/true", "move it to /nonexistent or HERE, and load it by its name, “true”"),
            ("/tmp/build/libgarden.so", "a plugin is loaded by its name, “garden”, from /nonexistent:HERE"),
            ("below/garden.so", "a plugin is loaded by its name, “garden”, from /nonexistent:HERE"),
            ("garden", "with .so at its end, or also lib at its beginning, is in /nonexistent:HERE"),
        ])
    func wanted(name: String, text: String) {
        let directories = PluginDirectories(["/nonexistent", directory.directory])
        let error = #expect(throws: ListError.self) { try directories.find(name) }
        let wanted = text.replacing("HERE", with: directory.directory)
        #expect(error?.message.contains(wanted) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(name) == true)
    }
}
