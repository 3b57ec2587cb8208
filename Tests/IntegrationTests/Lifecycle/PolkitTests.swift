// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

/// In these tests, the unprivileged user is `nobody`, which only root can become.
@Suite("Rights that polkit grants", .timeLimit(.minutes(3)), .enabled(if: geteuid() == 0))
@DBusActor
struct PolkitTests {
    private static let denied = "org.freedesktop.DBus.Error.AccessDenied"
    private static let lists = "org.listd.listd1.manage-lists"
    private static let daemon = "org.listd.listd1.manage-daemon"
    private static let inspect = "org.listd.listd1.inspect"
    private static let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]

    private func makeStage(_ polkit: (FakePolkit) -> Void) async throws -> (Stage, FakePolkit) {
        let bus = try PrivateBus()
        let fake = try await FakePolkit(on: bus)
        polkit(fake)
        return (try await Stage(on: bus, files: ["listd.conf": "[Daemon]\nCreators=administrators\n"]), fake)
    }

    /// Calls the manager as `nobody` on one connection, without interactive authorization. Returns the answers.
    private func call(_ stage: Stage, _ calls: String...) async throws -> [String] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "python/stranger.py")
        let text = try String(contentsOf: script, encoding: .utf8)
        let (status, output) = try await Script(program: "/usr/bin/setpriv").run(
            Self.nobody + ["/usr/bin/python3", "-c", text, stage.bus.address] + calls)
        #expect(status == 0, "\(output)")
        return output.split(separator: "\n").map(String.init)
    }

    /// Calls as `nobody` with busctl, which allows interactive authorization.
    private func busctl(_ stage: Stage, _ words: [String]) async throws -> (status: Int32, output: String) {
        try await Script(program: "/usr/bin/setpriv").run(
            Self.nobody + ["/usr/bin/busctl", "--address=\(stage.bus.address)"] + words)
    }

    @Test("polkit grants a right → the call is accepted, and the answer is cached until polkit's rules change")
    func granted() async throws {
        let (stage, polkit) = try await makeStage {
            $0.answers = [Self.lists: .allowed, Self.daemon: .allowedAfterChange]
        }
        #expect(try await stage.manager.property("Features", as: [String].self).contains("polkit"))
        let outcomes = try await call(
            stage, "CreateAdapter:a", "CreateAdapter:b", "LogLevel:debug", "CreateAdapter:c")
        #expect(outcomes == ["ok", "ok", "ok", "ok"])
        let asked = [Self.lists, Self.daemon, Self.lists]
        for action in asked { #expect(try await polkit.events.next() == .check(action: action, mayAskUser: false)) }
        _ = try await call(stage, "UnloadPlugin:none")
        let next = try await polkit.events.next()
        #expect(next == .check(action: "org.listd.listd1.load-plugins", mayAskUser: false))
        await stage.stop()
    }

    @Test("polkit refuses a right → the caller gets AccessDenied after a single query to polkit")
    func refused() async throws {
        let (stage, polkit) = try await makeStage { _ in }
        #expect(try await call(stage, "CreateAdapter:a", "CreateAdapter:b") == [Self.denied, Self.denied])
        #expect(try await polkit.events.next() == .check(action: Self.lists, mayAskUser: false))
        #expect(try await call(stage, "LogLevel:debug") == [Self.denied])
        #expect(try await polkit.events.next() == .check(action: Self.daemon, mayAskUser: false))
        await stage.stop()
    }

    @Test("polkit is missing or exits during a query → all users except administrators get AccessDenied")
    func absent() async throws {
        let stage = try await Stage(files: ["listd.conf": "[Daemon]\nCreators=administrators\n"])
        #expect(try await !stage.manager.property("Features", as: [String].self).contains("polkit"))
        #expect(try await call(stage, "CreateAdapter:a") == [Self.denied])
        _ = try await stage.createAdapter("root")
        await stage.stop()
        let (other, _) = try await makeStage { $0.answers = [Self.lists: .death] }
        #expect(try await call(other, "CreateAdapter:a", "CreateAdapter:b") == [Self.denied, Self.denied])
        await other.stop()
    }

    @Test(
        "a caller allows interactive authorization → polkit's answer applies to that call only"
    )
    func interactive() async throws {
        let (stage, polkit) = try await makeStage { $0.answers = [Self.inspect: .allowed] }
        let dump = ["call", Listd.name, "/org/listd/Listd1", Listd.name + ".Manager", "Dump"]
        for _ in 0..<2 {
            #expect(try await busctl(stage, dump).output.contains("statistics"))
            #expect(try await polkit.events.next() == .check(action: Self.inspect, mayAskUser: true))
        }
        polkit.answers = [Self.inspect: .none]
        let leaving = try ChildProcess(
            "/usr/bin/setpriv", Self.nobody + ["/usr/bin/busctl", "--address=\(stage.bus.address)"] + dump)
        #expect(try await polkit.events.next() == .check(action: Self.inspect, mayAskUser: true))
        leaving.stop()
        #expect(try await polkit.events.next() == .cancel)
        await stage.stop()
    }

    @Test("a restricted list → users with polkit's `inspect` right may read the list and its properties")
    func restricted() async throws {
        let (stage, polkit) = try await makeStage { $0.answers = [Self.inspect: .allowed] }
        let adapter = try await stage.createAdapter("secret", ["readers": .string("owner")])
        _ = try await adapter.performUpdates([Row("hidden", "", [:])])
        let (path, interface) = (adapter.path.description, Listd.name + ".Adapter")
        let objects = try await busctl(stage, ["call", Listd.name, path, interface, "GetObjects", "uu", "0", "9"])
        #expect(objects.output.contains("hidden"))
        let selected = try await busctl(stage, ["get-property", Listd.name, path, interface, "SelectedItems"])
        #expect(selected.output == "a(su) 0\n")
        polkit.answers = [:]
        let refused = try await busctl(stage, ["call", Listd.name, path, interface, "GetObjects", "uu", "0", "9"])
        #expect(refused.status != 0)
        await stage.stop()
    }

    @Test(
        "a user calls another user's view → polkit's manage-lists permits the calls; Resync also needs read access"
    )
    func views() async throws {
        let (stage, polkit) = try await makeStage { $0.answers = [Self.inspect: .allowed] }
        let adapter = try await stage.createAdapter("screen", ["readers": .string("owner")])
        _ = try await adapter.performUpdates([Row("a", "", [:])])
        let view = try await TestView(adapter)
        try await view.setViewport(y: 0)
        let calls = [
            ["SetViewport", "tdddd", "0", "0", "0", "9", "9"], ["SetVisibleRange", "tuuuu", "0", "0", "0", "0", "0"],
            ["ReportScroll", "s", "began"], ["SetOnScreen", "b", "true"],
            ["ScrollTo", "sus", "a", "0", "none"], ["ReportSizes", "a(sudd)", "0"], ["Select", "su", "a", "0"],
            ["Deselect", "su", "a", "0"], ["SetHighlighted", "sub", "a", "0", "false"],
            ["MoveItem", "uuuu", "0", "0", "0", "0"], ["Ack", "t", "1"], ["Resync"], ["Close"],
        ]
        func refused() async throws -> [String] {
            var refused: [String] = []
            for call in calls {
                let words = ["call", Listd.name, view.path.description, Listd.name + ".View"] + call
                let output = try await busctl(stage, words).output
                if output.contains("belongs to") || output.contains("Access denied") { refused.append(call[0]) }
            }
            return refused
        }
        let refusedToInspector = try await refused()
        #expect(refusedToInspector == calls.map { $0[0] })
        polkit.answers = [Self.lists: .allowed]
        let refusedToManager = try await refused()
        #expect(refusedToManager == ["Resync"])
        await stage.stop()
    }

    @Test("a view's picture requires two rights → polkit is queried for both in one call")
    func pictures() async throws {
        let (stage, polkit) = try await makeStage { $0.answers = [Self.inspect: .allowed, Self.lists: .allowed] }
        let adapter = try await stage.createAdapter("screen", ["readers": .string("owner")])
        _ = try await adapter.performUpdates([Row("a", "", [:])])
        let view = try await TestView(adapter)
        try await view.setViewport(y: 0)
        let (status, output) = try await busctl(
            stage, ["call", Listd.name, view.path.description, Listd.name + ".View", "Resync"])
        #expect(status == 0 && output.contains("\"a\""), "\(output)")
        for action in [Self.lists, Self.inspect] {
            #expect(try await polkit.events.next() == .check(action: action, mayAskUser: true))
        }
        await stage.stop()
    }
}
