// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport

/// A bus, a state directory, and the plugin `ledger`, whose source sends pages, stores a cursor and accepts writes.
@DBusActor
final class LedgerStage {
    let stages: StoreStage
    private let plugins = TemporaryDirectory()

    private static let built = Result {
        let directory = TemporaryDirectory()
        try FixtureCompiler.compileSwift("ledger.swift", to: directory.path + "/ledger.so")
        return directory
    }

    init() throws {
        stages = try StoreStage()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: plugins.path)
        try FileManager.default.copyItem(
            atPath: try Self.built.get().path + "/ledger.so", toPath: plugins.path + "/ledger.so")
    }

    /// Starts listd, which restores the stored lists.
    func start(_ isolation: PluginStage.Isolation = .worker, files: [String: String] = [:]) async throws -> Stage {
        let configuration = "[Plugin ledger]\nIsolation=\(isolation.rawValue)\n"
        return try await Stage(
            on: stages.bus,
            arguments: ["--plugins", plugins.path, "--state", stages.state.path] + TransportKind.arguments,
            files: files.merging(["listd.conf": configuration]) { $1 })
    }
}

/// A list of the plugin, as one client sees it.
@DBusActor
struct LedgerList {
    let stage: Stage
    let adapter: TestAdapter
    let remote: RemoteObject

    init(_ stage: Stage, _ name: String, by client: Connection? = nil) async throws {
        self.stage = stage
        adapter = try await stage.adapter(name)
        remote = adapter.by(client ?? stage.client)
    }

    /// Creates a list with the source `ledger/rows`, and waits until the list is ready.
    static func make(
        _ argument: String, named name: String = "rows", on stage: Stage, durability: String = "fsync",
        by client: Connection? = nil
    ) async throws -> LedgerList {
        _ = try await stage.manager.call(
            "CreateAdapter", name,
            ["source": .string("ledger/rows?\(argument)"), "durability": .string(durability)] as [String: DBusValue],
            returning: ObjectPath.self)
        let list = try await LedgerList(stage, name, by: client)
        try await list.wait(for: "ready")
        return list
    }

    /// Waits until the list is in a state.
    func wait(for state: String) async throws {
        let changes = EventLog<Bool>()
        let rule = MatchRule(path: adapter.path, interface: StandardInterface.properties, member: "PropertiesChanged")
        let subscription = try await stage.client.subscribe(rule) { _ in changes.record(true) }
        defer { _ = subscription }
        while try await adapter.by(stage.client).property("State", as: String.self) != state {
            _ = try await changes.next(timeout: .seconds(240))
        }
    }

    func apply(remove: [String] = [], add: [String] = [], expecting revision: UInt64 = 0) async throws -> UInt64 {
        try await remote.call(
            "ApplyChanges", revision, remove, add.map { Upsert($0, "row", "last", "", [:]) }, [String: DBusValue](),
            returning: UInt64.self)
    }

    func patch(_ id: String, _ fields: [String: DBusValue], expecting revision: UInt64 = 0) async throws -> UInt64 {
        try await remote.call("PatchObject", revision, id, fields, [String](), returning: UInt64.self)
    }

    /// Makes the source perform an action by its name, such as `offline`. Returns the answered revision.
    func ask(_ what: String, expecting revision: UInt64 = 0) async throws -> UInt64 {
        try await patch("row 0", ["do": .string(what)], expecting: revision)
    }

    var revision: UInt64 { get async throws { try await remote.property("Revision", as: UInt64.self) } }
    var position: String { get async throws { try await remote.property("SourcePosition", as: String.self) } }
    var synced: UInt64 { get async throws { try await remote.property("SourceSynced", as: UInt64.self) } }
    var ids: [String] { get async throws { try await adapter.objects().rows.map(\.id) } }
}
