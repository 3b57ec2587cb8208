// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient
import TestSupport
import Testing

@Suite("The configuration of a real listd")
@DBusActor
struct ConfigurationTests {
    private let plain = "[List]\nDescription=a list that clients fill\n"

    private func names(_ stage: Stage) async throws -> [String] {
        typealias Entry = DBusStruct<String, ObjectPath, [String: DBusValue]>
        return try await stage.manager.call("ListAdapters", returning: [Entry].self).map { $0.members.0 }
    }

    private func write(_ text: String?, to name: String, of stage: Stage) throws {
        let file = stage.listd.directory.appending(path: "config").appending(path: name)
        if let text {
            try text.write(to: file, atomically: true, encoding: .utf8)
        } else {
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test(
        "configuration files have lists → the lists exist when listd is ready, and clients cannot remove them",
        .rule("AC-07"))
    func start() async throws {
        let stage = try await Stage(files: ["a.list": plain, "b.list": plain])
        #expect(try await names(stage) == ["a", "b"])
        let exists = await #expect(throws: DBusError.self) { try await stage.createAdapter("a") }
        #expect(exists?.name == Listd.error("AdapterExists"))
        let denied = await #expect(throws: DBusError.self) { try await stage.manager.call("RemoveAdapter", "a") }
        #expect(denied?.standard == .accessDenied)
        await stage.stop()
    }

    @Test(
        "a list file has an error → the list is left out and reported with file and line, and other lists are created")
    func faultyList() async throws {
        let stage = try await Stage(files: ["a.list": plain, "b.list": "[List]\nLayout=round\n"])
        #expect(try await names(stage) == ["a"])
        #expect(stage.listd.standardError.contains("b.list:2: "))
        await stage.stop()
    }

    @Test(
        "a list's plugin does not exist → the list is left out and reported with file and line"
    )
    func missingPlugin() async throws {
        let stage = try await Stage(files: [
            "a.list": plain, "b.list": "[List]\nLayout=flow\nSource=nowhere/source?x\n",
            "c.list": "[Sections]\nmail=nowhere/Mail\n*=listd/single\n", "d.list": "[Sections]\n*=listd/triple\n",
        ])
        #expect(try await names(stage) == ["a"])
        for place in ["b.list:3: ", "c.list:2: ", "d.list:2: "] {
            #expect(stage.listd.standardError.contains(place), "\(place)")
        }
        await stage.stop()
    }

    /// Calls Reload, and checks that it fails for some files and names these places in its message.
    private func expectIncompleteReload(_ stage: Stage, naming places: String...) async throws {
        let error = await #expect(throws: DBusError.self) { try await stage.manager.call("Reload") }
        #expect(error?.name == Listd.error("ReloadIncomplete"))
        for place in places { #expect(error?.message.contains(place) == true, "\(place)") }
    }

    @Test(
        "Reload finds a missing plugin and a taken list name → both are reported, and all other changes take effect"
    )
    func impossibleReload() async throws {
        let stage = try await Stage(files: ["a.list": plain, "goes.list": plain])
        let taken = try await stage.createAdapter("taken")
        _ = try await taken.performUpdates([Row("x", "", [:])])
        try write(nil, to: "goes.list", of: stage)
        try write("[List]\nSource=nowhere/source\n", to: "b.list", of: stage)
        try write(plain, to: "taken.list", of: stage)
        try write(plain, to: "comes.list", of: stage)
        try await expectIncompleteReload(stage, naming: "b.list:2: ", "taken.list: ")
        #expect(try await names(stage) == ["a", "comes", "taken"])
        #expect(try await taken.objects().revision == 1)
        try write(nil, to: "b.list", of: stage)
        try write(nil, to: "taken.list", of: stage)
        try await stage.manager.call("Reload")
        #expect(try await names(stage) == ["a", "comes", "taken"])
        await stage.stop()
    }

    @Test("Reload finds an error in listd.conf → InvalidArgs names the error, and nothing changes", .rule("DU-06"))
    func faultyDaemonFile() async throws {
        let stage = try await Stage(files: ["a.list": plain])
        try write("[Limits]\nAdaptersPerUser=1\nNonsense=1\n", to: "listd.conf", of: stage)
        try write(plain, to: "b.list", of: stage)
        try write(nil, to: "a.list", of: stage)
        let error = await #expect(throws: DBusError.self) { try await stage.manager.call("Reload") }
        #expect(error?.standard == .invalidArgs)
        #expect(error?.message.contains("listd.conf:3: ") == true)
        #expect(try await names(stage) == ["a"])
        _ = try await stage.createAdapter("mine")
        await stage.stop()
    }

    @Test(
        "Reload finds many faulty files → the error counts those beyond its 1 KiB, and the log names all of them")
    func manyFaults() async throws {
        let stage = try await Stage()
        for number in 100..<200 { try write("[List]\nNonsense=1\n", to: "\(number).list", of: stage) }
        let error = await #expect(throws: DBusError.self) { try await stage.manager.call("Reload") }
        #expect(error?.name == Listd.error("ReloadIncomplete"))
        let message = error?.message ?? ""
        #expect(
            message.utf8.count <= 1024 && message.contains("100.list:2: ") && message.contains(" more; see the log"))
        await stage.stop()
        #expect(stage.listd.standardError.contains("199.list:2: "))
    }

    @Test("listd.conf has an error at startup → exit code 1, because access rights are unknown")
    func faultyDaemon() async throws {
        let bus = try PrivateBus()
        let (outcome, text) = try await ListdProcess.run(
            bus: bus.address, files: ["listd.conf": "[Daemon]\nCreators=sombody\n"])
        #expect(outcome == ListdProcess.Outcome(status: 1))
        #expect(text.contains("listd.conf:2: "))
    }

    @Test(
        "--check-config finds an unknown group → it prints file and line, and exits with 1; a known group → with 0"
    )
    func unknownGroup() async throws {
        let directory = TemporaryDirectory()
        let file = directory.path + "/a.list"
        for (group, status) in [("root", Int32(0)), ("gardeners-of-nowhere", 1)] {
            try "[List]\nReaders=group:\(group)\n".write(toFile: file, atomically: true, encoding: .utf8)
            let outcome = try await ChildProcess.run(
                ListdProcess.executable.path, ["--check-config", "--config", directory.path],
                environment: ["SWIFT_BACKTRACE": "enable=no"], timeout: .seconds(60))
            let fault = "\(file):2: Readers: there is no group “\(group)”; this has no effect until it exists"
            let faults = status == 0 ? [] : [fault]
            #expect(outcome.status == status && outcome.lines == faults)
        }
    }

    @Test(
        "--check-config finds no directory → it prints a message and exits with 1; an empty directory → it exits with 0"
    )
    func missingFolder() async throws {
        let directory = TemporaryDirectory()
        for (folder, status) in [(directory.path, Int32(0)), (directory.path + "/nowhere", 1)] {
            let outcome = try await ChildProcess.run(
                ListdProcess.executable.path, ["--check-config", "--config", folder],
                environment: ["SWIFT_BACKTRACE": "enable=no"], timeout: .seconds(60))
            #expect(outcome.status == status)
            #expect(outcome.lines == (status == 0 ? [] : ["\(folder): there is no such folder"]))
        }
    }

    @Test(
        "root runs listd --check-config → it reads /etc/listd like the service, not the home directory",
        .enabled(if: geteuid() == 0))
    func asRoot() async throws {
        let home = TemporaryDirectory()
        let folder = home.path + "/.config/listd"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "[List]\nNonsense=1\n".write(toFile: folder + "/a.list", atomically: true, encoding: .utf8)
        let outcome = try await ChildProcess.run(
            "/usr/bin/env",
            [
                "-u", "XDG_CONFIG_HOME", "-u", "NOTIFY_SOCKET", "-u", "INVOCATION_ID", "HOME=\(home.path)",
                ListdProcess.executable.path, "--check-config",
            ],
            environment: ["SWIFT_BACKTRACE": "enable=no"], timeout: .seconds(60))
        #expect(outcome.lines.allSatisfy { $0.hasPrefix("/etc/listd") })
        if !FileManager.default.fileExists(atPath: "/etc/listd") {
            #expect(outcome.status == 1 && outcome.lines == ["/etc/listd: there is no such folder"])
        }
    }

    @Test(
        "files are added, removed and changed → Reload creates, removes and changes lists; objects and epoch are kept")
    func reload() async throws {
        let stage = try await Stage(files: ["stays.list": plain, "goes.list": plain])
        let stays = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/stays")
        _ = try await stays.performUpdates([Row("x", "", ["title": .string("one")])])
        let epoch = try await stays.by(stage.client).property("Epoch", as: String.self)
        try write(nil, to: "goes.list", of: stage)
        try write(plain, to: "comes.list", of: stage)
        try write("[List]\nLayout=none\nReaders=owner\n[Sections]\n*=listd/binding\n", to: "stays.list", of: stage)
        try await stage.manager.call("Reload")
        #expect(try await names(stage) == ["comes", "stays"])
        #expect(try await stays.by(stage.client).property("ItemCount", as: UInt32.self) == 0)
        #expect(try await stays.by(stage.client).property("Epoch", as: String.self) == epoch)
        #expect(try await stays.by(stage.client).property("ObjectCount", as: UInt32.self) == 1)
        let options = try await stays.by(stage.client).property("Options", as: [String: DBusValue].self)
        #expect(options["layout"]?.unwrapped == .string("none"))
        await stage.stop()
    }

    @Test(
        "Reload finds a fault in a list's file → the error names the file, and the running list keeps its options",
        .rule("DU-06")
    )
    func badReload() async throws {
        let stage = try await Stage(files: ["a.list": plain, "b.list": plain + "WorkingRange=3\n"])
        let list = try await stage.adapter("b")
        _ = try await list.performUpdates([Row("x", "", [:])])
        let epoch = try await list.epoch()
        try write("[List]\nNonsense=1\nWorkingRange=4\n", to: "b.list", of: stage)
        try write(nil, to: "a.list", of: stage)
        try write(plain, to: "c.list", of: stage)
        try write("[Limits]\nAdaptersPerUser=1\n", to: "listd.conf", of: stage)
        try await expectIncompleteReload(stage, naming: "b.list:2: unknown key “Nonsense”")
        #expect(try await names(stage) == ["b", "c"])
        #expect(try await list.objects().revision == 1)
        #expect(try await list.epoch() == epoch)
        let options = try await list.by(stage.client).property("Options", as: [String: DBusValue].self)
        #expect(options["working-range"]?.unwrapped == .uint32(3))
        _ = try await stage.createAdapter("mine")
        let refused = await #expect(throws: DBusError.self) { try await stage.createAdapter("another") }
        #expect(refused?.standard == .limitsExceeded)
        try write(plain + "WorkingRange=4\n", to: "b.list", of: stage)
        try await stage.manager.call("Reload")
        let mended = try await list.by(stage.client).property("Options", as: [String: DBusValue].self)
        #expect(mended["working-range"]?.unwrapped == .uint32(4))
        #expect(try await list.objects().revision == 1)
        await stage.stop()
    }

    @Test(
        "Reload finds a source argument that the plugin rejects → the list and its views are unchanged")
    func badArgument() async throws {
        let good = "[List]\nDurability=memory\nSource=horrors/source\n"
        let bad = "[List]\nDurability=memory\nSource=horrors/source?throw in init\n"
        let horrors = try await HorrorStage(files: ["y.list": good])
        let stage = horrors.stage
        let adapter = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/y")
        let epoch = try await adapter.epoch()
        let view = try await adapter.openView()
        try write(bad, to: "y.list", of: stage)
        try write(bad, to: "new.list", of: stage)
        try write(plain, to: "sound.list", of: stage)
        try await expectIncompleteReload(stage, naming: "y.list:3: ", "new.list:3: ", "a horror was thrown")
        #expect(try await names(stage) == ["sound", "y"])
        #expect(try await adapter.epoch() == epoch)
        #expect(try await view.present().sequence >= view.picture.sequence)
        try write(good, to: "new.list", of: stage)
        try write(good + "WorkingRange=1\n", to: "y.list", of: stage)
        try await stage.manager.call("Reload")
        #expect(try await names(stage) == ["new", "sound", "y"])
        #expect(try await adapter.epoch() == epoch)
        #expect(await stage.stop().status == 0)
    }

    @Test("Reload finds new plugin settings and a list that needs them → the plugin starts with the new settings")
    func settingsAndList() async throws {
        let horrors = try await HorrorStage("Manifest=exit")
        let stage = horrors.stage
        try write("[List]\nSource=horrors/source\n", to: "y.list", of: stage)
        try await expectIncompleteReload(stage, naming: "y.list:2: ")
        try write("[Plugin horrors]\nIsolation=worker\n", to: "listd.conf", of: stage)
        try await stage.manager.call("Reload")
        #expect(try await names(stage) == ["y"])
        await stage.stop()
    }

    @Test("a list was left out at startup because its plugin was missing → Reload creates it once the plugin exists")
    func laterPlugin() async throws {
        let plugins = TemporaryDirectory()
        let list = "[List]\nDurability=memory\n[Sections]\n*=horrors/Steady\n"
        let stage = try await Stage(arguments: ["--plugins", plugins.path], files: ["y.list": list])
        #expect(try await names(stage) == [])
        let taken = await #expect(throws: DBusError.self) { try await stage.createAdapter("y") }
        #expect(taken?.name == Listd.error("AdapterExists"))
        try HorrorStage.install(.first, in: plugins)
        try await stage.manager.call("Reload")
        #expect(try await names(stage) == ["y"])
        await stage.stop()
    }

    @Test("a plugin rejects a setting → each resulting log line names the setting and listd.conf")
    func refusedSetting() async throws {
        let list = "[List]\nDurability=memory\n[Sections]\n*=horrors/Steady\n"
        let horrors = try await HorrorStage("Refuse=perhaps", files: ["y.list": list])
        let stage = horrors.stage
        #expect(try await names(stage) == [])
        await stage.stop()
        let said = stage.listd.standardError.split(separator: "\n").filter { $0.contains("refuses its settings") }
        #expect(said.contains { $0.contains("y.list:4: ") } && said.contains { $0.contains("horrors has failed") })
        for line in said {
            #expect(line.contains("Refuse=perhaps") && line.contains("[Plugin horrors] in listd.conf"), "\(line)")
        }
    }
}
