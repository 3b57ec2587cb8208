// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import PluginTestSupport
import Testing

@testable import packages

@Suite("Following dpkg", .timeLimit(.minutes(2)))
struct StatusSourceTests {
    private func source(_ argument: String, settings: [String: String] = [:]) async throws -> TestSource {
        try await TestSource(
            PackagesPlugin.self, "installed", argument: argument, settings: PluginSettings(settings))
    }

    @Test("packages are installed, upgraded and removed → each rename of the status file updates the list")
    func follows() async throws {
        let admin = try AdminDirectory()
        try admin.replaceStatus(stanza("bash") + stanza("adduser"))
        let source = try await source(admin.status)
        await source.wait { $0.objects.map(\.id) == ["a", "b"] }
        try admin.replaceStatus(stanza("bash", version: "2.0") + stanza("adduser") + stanza("apt"))
        await source.wait { $0.objects.first?.packageIDs == ["adduser:amd64", "apt:amd64"] }
        #expect(source.objects.last?.fields["packages"]?.array?.first?.dictionary?["version"] == "2.0")
        try admin.replaceStatus(stanza("bash") + stanza("apt", state: "config-files"))
        await source.wait { $0.objects.map(\.id) == ["b"] }
        #expect(source.failure == nil)
        await source.stop()
    }

    @Test("the status file is overwritten in place instead of renamed → the list is updated")
    func writtenInPlace() async throws {
        let admin = try AdminDirectory()
        try admin.replaceStatus(stanza("a"))
        let source = try await source(admin.status)
        await source.wait { $0.objects.map(\.id) == ["a"] }
        try (stanza("a") + stanza("b")).write(toFile: admin.status, atomically: false, encoding: .utf8)
        await source.wait { $0.objects.map(\.id) == ["a", "b"] }
        #expect(source.objects.count == 2)
    }

    @Test("the option all is given → the list includes removed packages whose configuration files remain")
    func all() async throws {
        let admin = try AdminDirectory()
        try admin.replaceStatus(stanza("a", state: "config-files") + stanza("b"))
        let source = try await source("\(admin.status)&all")
        await source.wait { !$0.objects.isEmpty }
        #expect(source.objects.map(\.id) == ["a", "b"])
    }

    @Test("no argument is given → the list follows the file that the setting Status names")
    func setting() async throws {
        let admin = try AdminDirectory()
        try admin.replaceStatus(stanza("x"))
        let source = try await source("", settings: ["Status": admin.status])
        await source.wait { $0.objects.map(\.id) == ["x"] }
        #expect(source.objects.count == 1)
    }

    @Test(
        "the file is missing or has no packages → the list fails with the reason; a valid file → the list recovers"
    )
    func missing() async throws {
        let admin = try AdminDirectory()
        let source = try await source(admin.status)
        await source.wait { $0.failure != nil }
        #expect(source.failure == "\(admin.status): No such file or directory")
        try admin.replaceStatus(stanza("a"))
        await source.wait { $0.failure == nil && $0.objects.map(\.id) == ["a"] }
        try admin.remove()
        await source.wait { $0.failure != nil }
        #expect(source.failure?.contains(admin.path) == true)
        #expect(source.objects.map(\.id) == ["a"])
        try admin.make()
        try admin.replaceStatus(stanza("b"))
        await source.wait { $0.failure == nil && $0.objects.map(\.id) == ["b"] }
        try admin.replaceStatus("no packages here\n")
        await source.wait { $0.failure != nil }
        #expect(source.failure?.hasSuffix("/status: the file contains no package") == true)
        #expect(source.objects.map(\.id) == ["b"])
    }

    @Test("the path leads to a directory → the list fails with the reason")
    func directory() async throws {
        let admin = try AdminDirectory()
        let source = try await source(admin.path)
        await source.wait { $0.failure != nil }
        #expect(source.failure == "\(admin.path): Invalid argument")
    }

    @Test("an invalid argument → the source is not created", arguments: ["status", "&all=perhaps", "/a&some"])
    func badArgument(argument: String) async {
        await #expect(throws: (any Error).self) { try await source(argument) }
    }
}
