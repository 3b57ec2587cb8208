// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Exit statuses of listctl", .timeLimit(.minutes(3)))
@DBusActor
struct ListctlStatusTests {
    private nonisolated static let commands = [
        ["list"], ["show", "x"], ["watch", "x"], ["view", "x"], ["monitor"], ["monitor", "x"],
    ]

    @Test("there is no bus → listctl prints a message and exits with status 69", arguments: commands)
    func noBus(command: [String]) async throws {
        let result = try await ChildProcess.run(
            Listctl.path, ["--bus", "unix:path=/nonexistent/bus"] + command, timeout: .seconds(60))
        #expect(result.status == 69)
        #expect(result.lines.first?.hasPrefix("listctl: no connection to the bus") == true)
    }

    @Test("the bus has no listd → listctl prints a message and exits with status 69", arguments: commands)
    func noDaemon(command: [String]) async throws {
        let bus = try PrivateBus()
        let result = try await ChildProcess.run(
            Listctl.path, ["--bus", bus.address] + command, timeout: .seconds(60))
        #expect(result.status == 69)
        #expect(result.lines.first?.hasPrefix("listctl: listd is not running on this bus") == true)
    }

    @Test("the list is missing → listctl prints a message that names the list, and exits with status 1")
    func noList() async throws {
        let stage = try await Stage()
        for command in ["show", "watch", "view", "monitor", "remove"] {
            let (status, lines) = try await Listctl.run(stage.bus.address, command, "nosuch")
            #expect(status == 1, "\(command)")
            #expect(lines.count == 1 && lines[0].contains("nosuch"), "\(command): \(lines)")
        }
        await stage.stop()
    }

    @Test("a file is missing or a directory → listctl exits with status 66", arguments: ["/nonexistent/file", "/tmp"])
    func unreadable(file: String) async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("list")
        let (status, lines) = try await Listctl.run(stage.bus.address, "push", "list", file)
        #expect(status == 66)
        #expect(lines.count == 1 && lines[0].contains(file))
        await stage.stop()
    }

    @Test(
        "create gets an unknown option → its exit status is 64; it gets an invalid value → its exit status is 1",
        arguments: [("foo", 64), ("nokey=1", 64), ("working-range=x", 1), ("layout=bogus", 1)] as [(String, Int32)])
    func wrongOption(word: String, expected: Int32) async throws {
        let stage = try await Stage()
        let (status, lines) = try await Listctl.run(stage.bus.address, "create", "list", word)
        #expect(status == expected)
        #expect(lines.first?.hasPrefix("listctl: ") == true)
        #expect(try await Listctl.run(stage.bus.address, "--json", "list").lines.isEmpty)
        await stage.stop()
    }

    @Test("standard input is closed → listctl exits with status 66")
    func closedInput() async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("list")
        let (status, lines) = try await Listctl.shell(stage.bus.address, "listctl push list - <&-")
        #expect(status == 66)
        #expect(lines == ["listctl: -: Bad file descriptor"])
        await stage.stop()
    }

    @Test("arguments are not UTF-8 → listctl exits with status 64, and changes no list or file with a similar name")
    func notUnicode() async throws {
        let stage = try await Stage()
        for command in [#"create $'li\xff'"#, #"backup $'/tmp/listctl-test-\xff'"#, #"push list $'\xff'"#] {
            let (status, lines) = try await Listctl.shell(stage.bus.address, "listctl \(command)")
            #expect(status == 64)
            #expect(lines.first?.contains("is not UTF-8") == true)
        }
        #expect(try await Listctl.run(stage.bus.address, "--json", "list").lines.isEmpty)
        await stage.stop()
    }

    @Test("lists whose source has failed → list, show and watch print the reason on standard error")
    func failedSource() async throws {
        let stage = try await Stage(files: ["broken.list": "[List]\nSource=jsonl:/tmp\n"])
        let adapter = stage.object("/org/listd/Listd1/adapters/broken", "Adapter")
        // listd reads sources after its start. The suite's time limit ends this loop if the condition never becomes
        // true.
        while try await adapter.property("State", as: String.self) != "failed" { await Task.yield() }
        let complaint = "listctl: the list “broken” has failed: /tmp is not a regular file"
        #expect(try await Listctl.run(stage.bus.address, "list").lines.contains(complaint))
        #expect(try await Listctl.run(stage.bus.address, "show", "broken").lines == [complaint])
        let watching = try Listctl.start(stage.bus.address, "watch", "broken")
        #expect(try await watching.lines.next(timeout: .seconds(60)) == complaint)
        watching.stop()
        await stage.stop()
    }

    @Test("listctl --json check runs without a store → it prints JSON and exits with status 1")
    func check() async throws {
        let stage = try await Stage()
        let (status, lines) = try await Listctl.run(stage.bus.address, "--json", "check")
        #expect(status == 1)
        #expect(lines == [#"{"healthy":false,"store":["store: none, lists live in memory"]}"#])
        await stage.stop()
    }
}
