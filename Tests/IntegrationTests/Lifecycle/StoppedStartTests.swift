// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import TestSupport
import Testing

@Suite("Stopping listd during startup", .timeLimit(.minutes(3)))
@DBusActor
struct StoppedStartTests {
    @Test("SIGTERM while a plugin hangs at load → listd exits at once with status 0, and no stored data is lost")
    func hangingPlugin() async throws {
        let stages = try StoreStage()
        let plain = "[List]\nDescription=one\n"
        try await stages.run(files: ["z.list": plain]) { stage in
            _ = try await stage.createStored("mine").performUpdates([Row("a", "t", [:])])
            _ = try await stage.adapter("z").performUpdates([Row("b", "t", [:])])
        }
        let plugins = try installBothPlugins()
        let listd = try ListdProcess.begin(
            bus: stages.bus.address, arguments: ["--state", stages.state.path, "--plugins", plugins.path],
            files: [
                // CallbackTimeout is far longer than the test may take.
                "listd.conf": "[Plugin horrors]\nManifest=loop\nCallbackTimeout=1h\n",
                "a.list": "[List]\nSource=twin/source\n", "b.list": "[List]\nSource=horrors/source\n", "z.list": plain,
            ])
        while !listd.standardError.contains("plugin twin 1.0 is loaded") { await Task.yield() }
        listd.send(SIGTERM)
        #expect(await listd.finish() == ListdProcess.Outcome(status: 0))
        #expect(!listd.standardError.contains("b.list"), "\(listd.standardError)")
        try await stages.run(files: ["z.list": plain]) { stage async throws in
            #expect(try await stage.adapter("mine").objects().rows.map(\.id) == ["a"])
            #expect(try await stage.adapter("z").objects().rows.map(\.id) == ["b"])
        }
    }

    @Test(
        "SIGTERM while a stored list's plugin hangs at load → no error is logged, and the list is restored later"
    )
    func storedListOfHangingPlugin() async throws {
        let stages = try StoreStage()
        let plugins = try installBothPlugins()
        let arguments = ["--state", stages.state.path, "--plugins", plugins.path]
        let first = try await Stage(on: stages.bus, arguments: arguments)
        for plugin in ["twin", "horrors"] {
            let options: [String: DBusValue] = ["durability": .string("disk"), "source": .string("\(plugin)/source")]
            _ = try await first.createAdapter(plugin == "twin" ? "a" : "b", options)
        }
        await first.stop()
        let listd = try ListdProcess.begin(
            bus: stages.bus.address, arguments: arguments,
            files: ["listd.conf": "[Plugin horrors]\nManifest=loop\nCallbackTimeout=1h\n"])
        while !listd.standardError.contains("plugin twin 1.0 is loaded") { await Task.yield() }
        listd.send(SIGTERM)
        #expect(await listd.finish() == ListdProcess.Outcome(status: 0))
        #expect(!listd.standardError.contains("was restored incompletely"), "\(listd.standardError)")
        let last = try await Stage(on: stages.bus, arguments: arguments)
        #expect(try await last.names() == ["a", "b"])
        await last.stop()
    }

    private func installBothPlugins() throws -> TemporaryDirectory {
        let plugins = TemporaryDirectory()
        for version in [HorrorLibraries.Version.first, .twin] { try HorrorStage.install(version, in: plugins) }
        return plugins
    }
}
