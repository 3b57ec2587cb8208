// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Reloads that are abandoned", .timeLimit(.minutes(3)))
@DBusActor
struct GivenUpReloadTests {
    private func write(_ text: String, to name: String, of stage: Stage) throws {
        try text.write(
            to: stage.listd.directory.appending(path: "config/\(name)"), atomically: true, encoding: .utf8)
    }

    @Test(
        "SIGTERM while plugins hang at load → listd exits at once, and the caller of Reload gets the reason"
    )
    func ending() async throws {
        // CallbackTimeout is far longer than the test may take.
        let settings = "Manifest=loop\nCallbackTimeout=1h\n"
        let horrors = try await HorrorStage(settings + "[Plugin twin]\n" + settings)
        try horrors.install(.twin)
        let stage = horrors.stage
        try write("[List]\nSource=horrors/source\n", to: "a.list", of: stage)
        try write("[List]\nSource=twin/source\n", to: "b.list", of: stage)
        stage.listd.send(SIGHUP)
        #expect(await stage.listd.waitForNotification("RELOADING=1"))
        // The second reload waits for the first. When listd answers a later call, it has received the call of Reload.
        let isSent = EventLog<Bool>()
        let caller = Task { @DBusActor in
            let call = try stage.manager.message("Reload") { _ throws(DBusError) in }
            isSent.record(true)
            _ = try await stage.client.call(call, timeout: .seconds(120))
        }
        _ = try await isSent.next()
        _ = try await stage.names()
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        let error = await #expect(throws: DBusError.self) { try await caller.value }
        #expect(error?.name == Listd.error("ShuttingDown") && error?.message.contains("reload") == true)
        #expect(!stage.listd.standardError.contains("reloaded the configuration"))
    }

    @Test("SIGTERM while a step of a reload hangs → listd exits, and callers get the reason")
    func endlessStep() async throws {
        let plugins = TemporaryDirectory()
        try HorrorStage.install(.first, in: plugins)
        let settings = "[Plugin horrors]\nIsolation=none\nManifest=loop\n"
        let stage = try await Stage(arguments: ["--plugins", plugins.path], files: ["listd.conf": settings])
        try write("[List]\nSource=horrors/source\n", to: "a.list", of: stage)
        let isSent = EventLog<Bool>()
        let clients = [try await stage.connect(), try await stage.connect()]
        let callers = clients.map { client in
            Task { @DBusActor in
                let call = try stage.manager.message("Reload") { _ throws(DBusError) in }
                isSent.record(true)
                _ = try await client.call(call, timeout: .seconds(120))
            }
        }
        #expect(await stage.listd.waitForNotification("RELOADING=1"))
        // When listd answers a later call of each client, it has received both calls of Reload.
        for client in clients {
            _ = try await isSent.next()
            _ = try await stage.object(Listd.manager, "Manager", by: client)
                .call("GetStatistics", returning: [String: UInt64].self)
        }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        for caller in callers {
            let error = await #expect(throws: DBusError.self) { try await caller.value }
            #expect(error?.name == Listd.error("ShuttingDown") && error?.message.contains("reload") == true)
        }
    }

    @Test("a reload while a newer plugin file exists → the plugin keeps its process and lists")
    func newerPlugin() async throws {
        let horrors = try await HorrorStage()
        let stage = horrors.stage
        let list = try await horrors.makeList("mine", "Steady")
        #expect(try await list.performUpdates([Row("a", "row", [:])]) == 1)
        let process = try await horrors.process
        try horrors.install(.second)
        try write("[List]\nDurability=memory\nSource=horrors/source\n", to: "sound.list", of: stage)
        try write("[List]\nNonsense=1\n", to: "faulty.list", of: stage)
        let error = await #expect(throws: DBusError.self) { try await stage.manager.call("Reload") }
        #expect(error?.name == Listd.error("ReloadIncomplete"))
        #expect(try await horrors.process == process)
        #expect(try await list.objects().revision == 1)
        #expect(try await stage.names() == ["mine", "sound"])
        // Only LoadPlugin moves lists to a process with the newer file.
        try FileManager.default.removeItem(at: stage.listd.directory.appending(path: "config/faulty.list"))
        try await stage.manager.call("Reload")
        #expect(try await stage.names() == ["mine", "sound"])
        #expect(try await horrors.process == process)
        try await horrors.load()
        #expect(try await horrors.process != process)
        #expect(await horrors.stop() == ListdProcess.Outcome(status: 0))
    }
}
