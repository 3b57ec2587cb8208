// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport

/// A real listd with the plugin `horrors`, whose misbehaviour is chosen by the objects of a list.
@DBusActor
final class HorrorStage {
    let stage: Stage
    let directory = TemporaryDirectory()
    private let changes = EventLog<Bool>()
    private var tokens: [FileDescriptor] = []
    private var subscription: Subscription?

    private static let built = Result { try HorrorLibraries() }
    static let path: ObjectPath = "/org/listd/Listd1/plugins/horrors"

    /// Starts listd. The plugin is loaded when a list refers to it.
    ///
    /// - Parameters:
    ///   - settings: lines of the section `[Plugin horrors]`.
    ///   - files: configuration files of lists, by name.
    ///   - arguments: additional arguments of listd.
    init(_ settings: String = "", files: [String: String] = [:], arguments: [String] = []) async throws {
        try Self.install(.first, in: directory)
        stage = try await Stage(
            arguments: ["--plugins", directory.path] + arguments,
            files: files.merging(["listd.conf": "[Plugin horrors]\nIsolation=worker\n\(settings)\n"]) { $1 })
        let rule = MatchRule(path: Self.path, interface: StandardInterface.properties, member: "PropertiesChanged")
        subscription = try await stage.client.subscribe(rule) { [changes] _ in changes.record(true) }
    }

    /// Replaces the plugin's file in listd's plugin directory by another version.
    func install(_ version: HorrorLibraries.Version) throws { try Self.install(version, in: directory) }

    /// Installs a version of the plugin's file in a plugin directory.
    static func install(_ version: HorrorLibraries.Version, in directory: TemporaryDirectory) throws {
        try install(
            file: try built.get().path(of: version), as: version == .twin ? "twin" : "horrors", in: directory)
    }

    /// Installs a library as a plugin in a plugin directory.
    static func install(file: String, as name: String, in directory: TemporaryDirectory) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
        let (target, new) = ("\(directory.path)/\(name).so", directory.path + "/new")
        try FileManager.default.copyItem(atPath: file, toPath: new)
        // Renames the new file into place, as an installation does, so that an old file that is still mapped stays
        // intact.
        guard unsafe rename(new, target) == 0 else { throw ListdProcess.Failure("rename \(target): errno \(errno)") }
    }

    /// The path of the plugin's file.
    var file: String { directory.path + "/horrors.so" }

    /// Creates a named pipe with one byte in it, as a token for a misbehaviour that must happen only once. Returns the
    /// path of the pipe.
    func makeToken(_ name: String) throws -> String {
        let path = "\(directory.path)/\(name)"
        guard unsafe mkfifo(path, 0o600) == 0 else { throw ListdProcess.Failure("mkfifo \(path): errno \(errno)") }
        // The byte stays in the pipe while one end is open.
        let file = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0, unsafe write(file, "x", 1) == 1 else {
            throw ListdProcess.Failure("\(path): errno \(errno)")
        }
        tokens.append(FileDescriptor(adopting: file))
        return path
    }

    /// Creates a list in memory with a section controller of the plugin.
    func makeList(
        _ name: String, _ controller: String, _ options: [String: DBusValue] = [:]
    ) async throws -> TestAdapter {
        let controllers = DBusValue.dictionary(
            key: "s", value: "s",
            [DBusValue.Entry(key: .string("*"), value: .string("horrors/\(controller)"))])
        return try await stage.createAdapter(
            name, ["section-controllers": controllers].merging(options) { _, given in given })
    }

    /// Reads a property of the plugin.
    func plugin<Value: DBusDecodable & Sendable>(_ property: String, as type: Value.Type) async throws -> Value {
        try await stage.object(Self.path, "Plugin").property(property, as: type)
    }

    /// The id of the process that has loaded the plugin.
    var process: Int32 {
        get async throws { Int32(try await plugin("ProcessID", as: UInt32.self)) }
    }

    /// Waits until the plugin is in a state and was restarted at least `restarts` times. Reads the properties again
    /// at each signal of the plugin.
    func wait(for state: String, restarts: UInt32 = 0) async throws {
        while true {
            let (present, count) = (
                try await plugin("State", as: String.self), try await plugin("RestartCount", as: UInt32.self)
            )
            if present == state, count >= restarts { return }
            try await waitForChange()
        }
    }

    /// Waits until a property of the plugin has changed since the previous call.
    func waitForChange() async throws { _ = try await changes.next(timeout: .seconds(60)) }

    func load() async throws { _ = try await stage.manager.call("LoadPlugin", "horrors", returning: ObjectPath.self) }

    func unload() async throws { try await stage.manager.call("UnloadPlugin", "horrors") }

    @discardableResult
    func stop() async -> ListdProcess.Outcome { await stage.stop() }
}

/// The plugin's libraries, compiled once for all tests.
final class HorrorLibraries: Sendable {
    enum Version: String, CaseIterable {
        case first, second
        /// The same source as a separate library, with the name `twin`.
        case twin

        fileprivate var conditions: [String] { self == .first ? [] : [rawValue.uppercased()] }
    }

    private let directory = TemporaryDirectory()

    init() throws {
        for version in Version.allCases {
            try FixtureCompiler.compileSwift(
                "horrors.swift", to: path(of: version), defining: version.conditions)
        }
    }

    func path(of version: Version) -> String { "\(directory.path)/\(version.rawValue).so" }
}

extension TestAdapter {
    /// Returns the reuse identifiers and contents of the items that fit into one reply.
    func items() async throws -> [(reuse: String, content: [String: DBusValue])] {
        typealias Item = DBusStruct<UInt32, String, UInt32, String, [String: DBusValue]>
        let (_, _, items) = try await by(stage.client).call(
            "GetItems", UInt32(0), UInt32.max, [String](), returning: UInt64.self, UInt32.self, [Item].self,
            timeout: .seconds(60))
        return items.map { ($0.members.3, $0.members.4) }
    }

    /// The list's property `State`.
    var state: String {
        get async throws { try await by(stage.client).property("State", as: String.self) }
    }

    /// Opens a view and waits until it shows its first items.
    func openView(height: Double = 400) async throws -> ListViewClient {
        let view = try await ListViewClient.open(by(stage.client)) { _ in }
        view.setViewport(x: 0, y: 0, width: 100, height: height)
        await withCheckedContinuation { done in view.whenAnswered { done.resume() } }
        return view
    }
}

extension ListViewClient {
    /// Returns the view's picture as the daemon has it.
    func present() async throws -> Picture {
        let message = try Message.methodCall(
            to: object.destination, path: object.path, interface: object.interface, member: "Resync")
        let reply = try await object.connection.call(message, timeout: .seconds(60))
        return try reply.read { (reader) throws(DBusError) in try Picture(resync: &reader) }
    }
}

extension Picture {
    /// Whether both pictures show the same items. Their revisions may differ, because some transactions do not change a
    /// view.
    func showsSameItems(as other: Picture) -> Bool {
        sequence == other.sequence && contentSize == other.contentSize && offset == other.offset && shown == other.shown
    }
}

/// Restrictions of a process by the kernel (landlock(7)).
enum Landlock {
    /// Whether the kernel has a version of Landlock that also restricts signals.
    static let isThere: Bool = {
        typealias Call = @convention(c) (Int, Int, Int, UInt32) -> Int
        guard let symbol = unsafe dlsym(nil, "syscall") else { return false }
        // 444 is landlock_create_ruleset on every machine; with flag 1 it returns the ABI version.
        return unsafe unsafeBitCast(symbol, to: Call.self)(444, 0, 0, 1) >= 6
    }()
}
