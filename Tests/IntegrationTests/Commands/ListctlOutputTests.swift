// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("listctl when output cannot be written", .timeLimit(.minutes(3)))
@DBusActor
struct ListctlOutputTests {
    private func makeStageWithList() async throws -> Stage {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("big")
        // The list has more bytes than a pipe can buffer.
        let title = DBusValue.string(String(repeating: "x", count: 100))
        _ = try await adapter.performUpdates((0..<5000).map { Row("\($0)", "t", ["title": title]) })
        return stage
    }

    @Test(
        "standard output is closed or on a full disk → listctl prints a message and exits with status 1",
        arguments: ["show big", "--json show big", "list", "--json list", "plugins", "statistics", "--help"])
    func fullDisk(command: String) async throws {
        let stage = try await makeStageWithList()
        let (full, said) = try await Listctl.shell(stage.bus.address, "listctl \(command) >/dev/full")
        #expect(full == 1)
        #expect(said == ["listctl: standard output: No space left on device"])
        let (closed, told) = try await Listctl.shell(stage.bus.address, "listctl \(command) >&-")
        #expect(closed == 1)
        #expect(told == ["listctl: standard output: Bad file descriptor"])
        await stage.stop()
    }

    @Test(
        "the reader closes the pipe → listctl exits with status 1 without a message, even if SIGPIPE is ignored",
        arguments: ["show big", "watch big"], ["", "trap '' PIPE; "])
    func readerGone(command: String, preparation: String) async throws {
        let stage = try await makeStageWithList()
        let (_, lines) = try await Listctl.shell(
            stage.bus.address, "\(preparation){ listctl \(command); echo status $? >&2; } | head -1")
        #expect(lines.count == 2)
        #expect(lines.contains("status 1"))
        await stage.stop()
    }

    @Test("the reader closes the pipe before the first byte → every command exits with status 1 without a message")
    func neverRead() async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("list").performUpdates([Row("a", "t", [:])])
        for command in ["show list", "--json show list", "list", "plugins", "statistics", "check", "--help", "fly"] {
            let (_, lines) = try await Listctl.shell(
                stage.bus.address, "exec 3> >(:); wait $!; listctl \(command) >&3 2>&3; echo status $?")
            #expect(lines == [command == "fly" ? "status 64" : "status 1"], "\(command)")
        }
        await stage.stop()
    }

    @Test("an error message quotes an argument with control characters → the characters are escaped")
    func harmless() async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("list")
        let csi = "\u{9B}"
        let hostile = [
            "show $'x\\e[31my'", "create y $'layout=\\e[31m'", "create y $'\\e[31m=1'",
            "backup $'/nonexistent\\e[31m/x'", "push list $'\\e[31m'", "push $'\\e[31m' /dev/null", "$'\\e[31m'",
            "--bus $'a:b\\e[31m' list", "new-plugin $'\\e[31m'",
            #"push list - <<<'{"id":"a","\#(csi)31mRED":1}'"#,
        ]
        for command in hostile {
            let (status, lines) = try await Listctl.shell(stage.bus.address, "listctl \(command)")
            #expect(status != 0, "\(command)")
            #expect(lines.first?.hasPrefix("listctl: ") == true, "\(lines)")
            #expect(!lines.joined().unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(lines)")
        }
        await stage.stop()
    }

    @Test("a list has control and directional characters → all output escapes them, and JSON decodes to the original")
    func harmlessLists() async throws {
        let stage = try await Stage()
        let hostile = "x\u{1B}[31m\u{7F}\u{80}\u{9B}\u{9F}\u{61C}\u{200E}\u{200F}\u{202A}\u{202E}\u{2066}\u{2069}y"
        let adapter = try await stage.createAdapter(hostile)
        let fields = [hostile: DBusValue.string(hostile), "title": .string(hostile)]
        _ = try await adapter.performUpdates([Row(hostile, hostile, fields)])
        let bus = stage.bus.address
        for command in [["list"], ["show", hostile], ["plugins"], ["statistics"], ["check"]] {
            for options in [[], ["--json"]] {
                let (_, lines) = try await ChildProcess.run(Listctl.path, ["--bus", bus] + options + command)
                #expect(!lines.joined().unicodeScalars.contains { $0.steersTerminals }, "\(command): \(lines)")
            }
        }
        for command in ["view", "watch", "monitor"] {
            for options in [[], ["--json"]] {
                let child = try ChildProcess(Listctl.path, ["--bus", bus] + options + [command, hostile])
                var lines: [String] = []
                while lines.isEmpty || !lines.joined().contains("x") {
                    _ = try await adapter.applyChanges([Upsert(hostile, hostile, "last", "", fields)])
                    _ = try await adapter.applyChanges(remove: [hostile])
                    lines = child.lines.recorded
                }
                child.stop()
                #expect(!lines.joined().unicodeScalars.contains { $0.steersTerminals }, "\(command): \(lines)")
            }
        }
        _ = try await adapter.performUpdates([Row(hostile, hostile, fields)])
        let (_, lines) = try await Listctl.run(bus, "--json", "show", hostile)
        let object = try JSONSerialization.jsonObject(with: Data((lines.first ?? "").utf8)) as? [String: Any]
        #expect((object?["id"] as? String)?.unicodeScalars.elementsEqual(hostile.unicodeScalars) == true, "\(lines)")
        await stage.stop()
    }

    @Test("watch writes into a file → watch runs until the list is removed")
    func intoFile() async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("list")
        let file = stage.listd.directory.appending(path: "output")
        let watching = try ChildProcess(
            "/bin/sh",
            ["-c", #""$0" --bus "$1" watch list >"$2"; echo status $?"#]
                + [Listctl.path, stage.bus.address, file.path])
        // The suite's time limit ends this loop if the condition never becomes true.
        while (try? String(contentsOf: file, encoding: .utf8))?.hasSuffix("read anew, 0 objects\n") != true {
            await Task.yield()
        }
        try await stage.manager.call("RemoveAdapter", "list")
        #expect(try await watching.lines.next(timeout: .seconds(60)) == "listctl: the list “list” was removed")
        #expect(try await watching.lines.next(timeout: .seconds(60)) == "status 0")
        await stage.stop()
    }

    @Test(
        "standard error cannot be written → the command exits with its usual status",
        arguments: ["2>&-", "2>/dev/full"])
    func complaints(redirection: String) async throws {
        let stage = try await Stage()
        let (status, lines) = try await Listctl.shell(stage.bus.address, "listctl show nosuch \(redirection)")
        #expect(status == 1)
        #expect(lines.isEmpty)
        await stage.stop()
    }
}
