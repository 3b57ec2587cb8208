// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// What a worker can reach, asked from inside of it.
@Suite("The network of workers", .timeLimit(.minutes(5)))
@DBusActor
struct NetworkTests {
    private static let built = Result {
        let directory = TemporaryDirectory()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
        try FixtureCompiler.compileSwift("sockets.swift", to: directory.path + "/sockets.so")
        return directory
    }

    @Test(
        "a worker without Network=yes → local sockets only; with it → all that the service has",
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
}
