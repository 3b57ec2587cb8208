// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// Attempts to use the network from inside a worker.
@Suite("Network access of workers", .timeLimit(.minutes(5)))
@DBusActor
struct NetworkTests {
    private static let built = Result {
        let directory = TemporaryDirectory()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
        try FixtureCompiler.compileSwift("sockets.swift", to: directory.path + "/sockets.so")
        return directory
    }

    @Test(
        "a worker has no Network=yes → it cannot open IP or packet sockets; it has Network=yes → it can",
        arguments: [false, true])
    func families(hasNetwork: Bool) async throws {
        let plugins = try Self.built.get()
        let stage = try await Stage(
            arguments: ["--plugins", plugins.path],
            files: ["listd.conf": "[Plugin sockets]\n" + (hasNetwork ? "Network=yes\n" : "")])
        let adapter = try await stage.createAdapter("families", ["source": .string("sockets/families")])
        let changes = EventLog<Bool>()
        let rule = MatchRule(path: adapter.path, interface: StandardInterface.properties, member: "PropertiesChanged")
        let subscription = try await stage.client.subscribe(rule) { _ in changes.record(true) }
        defer { _ = subscription }
        while try await adapter.by(stage.client).property("State", as: String.self) != "ready" {
            _ = try await changes.next(timeout: .seconds(60))
        }
        let refused = try await adapter.objects().rows.filter { $0.fields["refused"] == .boolean(true) }.map(\.id)
        #expect(refused == (hasNetwork ? [] : ["inet", "inet6", "packet"]))
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "listd runs → its threads have the network filter, and the process that spawns networked workers has none"
    )
    func daemon() async throws {
        let stage = try await Stage(files: [:])
        func filters(_ path: String) throws -> Int {
            let lines = try String(contentsOfFile: "\(path)/status", encoding: .utf8).split(separator: "\n")
            let line = try #require(lines.first { $0.hasPrefix("Seccomp_filters:") })
            return try #require(line.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
        }
        let process = "/proc/\(stage.listd.identifier)"
        let inherited = try filters("/proc/self")
        let threads = try FileManager.default.contentsOfDirectory(atPath: process + "/task")
        #expect(!threads.isEmpty)
        for thread in threads { #expect(try filters("\(process)/task/\(thread)") == inherited + 1) }
        // The spawner is a process before it has its name.
        var spawner: Substring?
        while spawner == nil {
            let children = try threads.flatMap { thread in
                try String(contentsOfFile: "\(process)/task/\(thread)/children", encoding: .utf8).split(separator: " ")
            }
            spawner = try children.first {
                try String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8) == "listd-spawner\n"
            }
            await Task.yield()
        }
        let spawnerPath = try "/proc/\(#require(spawner))"
        #expect(try filters(spawnerPath) == inherited)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        #expect(!FileManager.default.fileExists(atPath: spawnerPath + "/exe"))
    }
}
