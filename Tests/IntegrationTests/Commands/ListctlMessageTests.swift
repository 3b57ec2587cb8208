// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Messages of listctl about wrong input", .timeLimit(.minutes(3)))
@DBusActor
struct ListctlMessageTests {
    private func run(_ stage: Stage, _ line: String) async throws -> (status: Int32, lines: [String]) {
        try await Listctl.shell(stage.bus.address, "cd '\(stage.listd.directory.path)'; " + line)
    }

    private func write(_ stage: Stage, _ name: String, _ lines: String...) throws {
        let text = lines.joined(separator: "\n") + "\n"
        try text.write(to: stage.listd.directory.appending(path: name), atomically: true, encoding: .utf8)
    }

    @Test("push or append reads a file with a repeated id → the message has both lines and the number of objects")
    func duplicates() async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("a")
        try write(stage, "twice.jsonl", #"{"id":"x"}"#, #"{"id":"y"}"#, "", #"{"id":"x","fields":{"n":1}}"#)
        #expect(
            try await run(stage, "listctl push a twice.jsonl").lines == [
                "revision 1: 2 objects in place of 0",
                "listctl: twice.jsonl:4: the id “x” is already on line 1; this object was left out",
            ])
        #expect(
            try await run(stage, "cat twice.jsonl | listctl push a -").lines.last
                == "listctl: -:4: the id “x” is already on line 1; this object was left out")
        #expect(
            try await run(stage, "listctl append a twice.jsonl").lines == [
                "revision 2: replaced 2 objects",
                "listctl: twice.jsonl:4: the id “x” is already on line 1; this object replaced that one",
            ])
        #expect(try await run(stage, "listctl --json show a").lines.first?.contains(#""n":1"#) == true)
        await stage.stop()
    }

    @Test("output of show --json with reordered keys → push accepts the output, and the list is unchanged")
    func shownAndPushed() async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("a").performUpdates([
            Row("x", "t", ["section": .int64(7), "text": .string(#"{"section":1}"#)]), Row("y", "", [:]),
        ])
        let shown = try await run(stage, "listctl --json show a | tee shown.jsonl").lines
        #expect(try await run(stage, "listctl push a shown.jsonl").status == 0)
        #expect(try await run(stage, "listctl push a - <shown.jsonl").status == 0)
        let sorted =
            "python3 -c 'import json,sys; "
            + "[print(json.dumps(json.loads(line), sort_keys=True)) for line in sys.stdin]'"
        #expect(try await run(stage, "\(sorted) <shown.jsonl | listctl push a -").status == 0)
        #expect(try await run(stage, "listctl --json show a").lines == shown)
        await stage.stop()
    }

    @Test(
        "a line that is not an object → push and append print the same message, with file and line",
        arguments: [
            (#"{"id":"b", x}"#, "malformed JSON"), (#"{"id":5}"#, "id is not a string"),
            (#"{}"#, "the object has no id"),
            (#"{"id":"b","type":3}"#, "type is not a string"),
            (#"{"id":"b","fields":5}"#, "fields is not an object"), ("[]", "the line is not a JSON object"),
            (
                #"{"id":"b","subject":"x"}"#,
                "unknown key “subject”; a program's own data belongs in “fields”"
            ),
        ] as [(String, String)])
    func malformed(line: String, complaint: String) async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("a")
        try write(stage, "bad.jsonl", #"{"id":"a"}"#, "", "", line)
        for command in ["push a bad.jsonl", "append a bad.jsonl"] {
            let (status, lines) = try await run(stage, "listctl \(command)")
            #expect(status == 1, "\(command)")
            #expect(lines.count == 1, "\(command): \(lines)")
            #expect(lines.first?.hasPrefix("listctl: bad.jsonl:4: \(complaint)") == true, "\(command): \(lines)")
            #expect(lines.first?.contains("superfluous") == false, "\(command): \(lines)")
        }
        #expect(try await run(stage, "listctl push a - <bad.jsonl").lines.first?.hasPrefix("listctl: -:4: ") == true)
        await stage.stop()
    }

    @Test("append gets fields but no id → the message shows the correct command")
    func fieldsWithoutID() async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("a")
        let (status, lines) = try await run(stage, "listctl append a subject=x")
        #expect(status == 66)
        #expect(
            lines == [
                "listctl: there is no file “subject=x”; to add one object, give its id and its fields, as in "
                    + "“listctl append a --id ID subject=x”"
            ])
        await stage.stop()
    }

    @Test(
        "a command names a missing object → the message names the object, not a command-line argument",
        arguments: ["patch a zz k=1", "move a zz --first", "move a x --before zz", "delete a zz"])
    func noObject(command: String) async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("a").performUpdates([Row("x", "t", [:])])
        #expect(try await run(stage, "listctl \(command)").lines == ["listctl: there is no object “zz”"])
        await stage.stop()
    }

    @Test("a command names a field of no object → a warning lists the existing fields; an existing field → no warning")
    func unknownFields() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("a")
        let owner = DBusValue.options(["name": .string("ada")])
        _ = try await adapter.performUpdates([
            Row("x", "t", ["subject": .string("hi"), "size": .int64(1)]), Row("y", "t", ["owner": owner]),
        ])
        let known = "the fields are owner.name, size, subject"
        #expect(
            try await run(stage, "listctl show a --columns subjct,size,owner.name 2>&1 >/dev/null").lines == [
                "listctl: no object has a field “subjct”; \(known)"
            ])
        #expect(try await run(stage, "listctl show a --columns size,owner.name 2>&1 >/dev/null").lines.isEmpty)
        for (words, complaint) in [
            ("hi --in subjct", "listctl: no object has a field “subjct”; \(known)"),
            ("hi --sort=-subjct", "listctl: no object has a field “subjct”; \(known)"),
            (
                "hi --in size",
                "listctl: no object has text in the field “size”; --in searches text fields only: subject"
            ),
        ] {
            let filter = try Listctl.start(
                stage.bus.address, ["filter", "a"] + words.split(separator: " ").map(String.init))
            _ = try await filter.lines.next(timeout: .seconds(60)) { $0 == complaint }
            filter.stop()
        }
        await stage.stop()
    }

    @Test("listctl filter matches no object → it prints that nothing in the list matches")
    func nothingFound() async throws {
        let stage = try await Stage()
        _ = try await stage.createAdapter("a").performUpdates([Row("x", "t", ["subject": .string("hi")])])
        for (words, complaint) in [
            (["zzz"], "nothing in the list “a” contains “zzz”"),
            (["--type", "none"], "nothing in the list “a” fits the filter"),
        ] {
            let filter = try Listctl.start(stage.bus.address, ["filter", "a"] + words)
            _ = try await filter.lines.next(timeout: .seconds(60)) { $0 == "listctl: \(complaint)" }
            filter.stop()
        }
        await stage.stop()
    }

    @Test("no bus has listd → the message says how to start listd")
    func noDaemon() async throws {
        let bus = try PrivateBus()
        let environment = [
            "DBUS_SESSION_BUS_ADDRESS": bus.address, "DBUS_SYSTEM_BUS_ADDRESS": bus.address,
        ]
        for (words, advice) in [
            ([], "with “listd --bus session &”"), (["--bus", "session"], "with “listd --bus session &”"),
            (["--bus", "system"], "with “systemctl start listd”"),
        ] {
            let (status, lines) = try await ChildProcess.run(
                Listctl.path, words + ["list"], environment: environment, timeout: .seconds(60))
            #expect(status == 69)
            #expect(lines.count == 1 && lines[0].contains(advice), "\(words): \(lines)")
        }
    }

    @Test("a source looks like a file or directory → the message suggests a suitable source")
    func source() async throws {
        let stage = try await Stage()
        for word in ["json:/x", "jsonlines:/x", "file:/x", "JSONL:/x"] {
            let (status, lines) = try await run(stage, "listctl create a source=\(word)")
            #expect(status == 1)
            #expect(lines.first?.contains("did you mean jsonl:/x?") == true, "\(lines)")
        }
        let (_, lines) = try await run(stage, "listctl create a source=directory:/x")
        #expect(lines.first?.contains("did you mean files/directory?/x?") == true, "\(lines)")
        await stage.stop()
    }

    @Test("show --search and filter create temporary lists → the log names these lists, as it does all")
    func temporaryLists() async throws {
        let stage = try await Stage(arguments: ["--log-level", "info"])
        _ = try await stage.createAdapter("kept").performUpdates([Row("x", "t", ["subject": .string("hi")])])
        #expect(try await run(stage, "listctl show kept --search hi").status == 0)
        let filter = try Listctl.start(stage.bus.address, "filter", "kept", "hi")
        _ = try await filter.lines.next(timeout: .seconds(60)) { $0.contains("read anew, 1 object") }
        filter.stop()
        _ = try await run(stage, "listctl create missing source=jsonl:/nowhere/x; listctl remove kept")
        await stage.stop()
        let log = stage.listd.standardError.split(separator: "\n")
        #expect(log.contains { $0.contains("adapter “kept” was created") }, "\(log)")
        #expect(log.contains { $0.contains("adapter “kept” was removed") }, "\(log)")
        #expect(log.contains { $0.contains("adapter “kept (listctl ") && $0.contains("was created") }, "\(log)")
        #expect(log.contains { $0.contains("source jsonl:/nowhere/x: /nowhere/x does not exist") }, "\(log)")
        #expect(!log.contains { $0.contains("InvalidArgs") }, "\(log)")
    }
}
