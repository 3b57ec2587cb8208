// SPDX-License-Identifier: Apache-2.0

import Glibc
import ListDaemon
import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Following a file of JSON lines", .timeLimit(.minutes(1)))
struct JSONLSourceTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let events = EventLog<Said>()

    init() {
        directory = TemporaryDirectory()
        path = directory.file("list.jsonl")
    }

    private func follow(_ path: String? = nil, limits: ObjectLimits = ObjectLimits(), fileBytes: Int = 1 << 20) throws
        -> JSONLSource
    {
        let source = try JSONLSource(path: path ?? self.path, limits: limits, fileBytes: fileBytes, sink: events.sink)
        source.start()
        return source
    }

    @Test("a file grows → the source sends the whole list, then the object of each line that has its newline")
    func growing() async throws {
        try Writing.write(line("a", 1) + line("b", 2) + "\n" + line("a", 3), to: path)
        let source = try follow()
        #expect(try await events.next() == .list([object("a", 3), object("b", 2)]))
        try Writing.append(line("c", 4) + line("a", 5) + "{\"id\":\"d\",", to: path)
        #expect(try await events.next() == .upserts([object("c", 4), object("a", 5)]))
        try Writing.append("\"fields\":{\"v\":6}", to: path)
        try Writing.append("}", to: path)
        try Writing.append("\n", to: path)
        #expect(try await events.next() == .upserts([object("d", 6)]))
        await source.stop()
    }

    @Test("neither the file nor its directories exist → the list fails until the file exists")
    func missingAtStart() async throws {
        let deep = directory.file("one/two/list.jsonl")
        let source = try follow(deep)
        #expect(try await events.nextFailure().message == "\(deep) does not exist; listd waits for it")
        try #require(unsafe mkdir(directory.file("one"), 0o755) == 0)
        try #require(unsafe mkdir(directory.file("one/two"), 0o755) == 0)
        try Writing.write("", to: directory.file("one/two/other"))
        try Writing.replace(deep, with: line("a", 1))
        #expect(try await events.next() == .list([object("a", 1)]))
        try Writing.append(line("b", 1), to: deep)
        #expect(try await events.next() == .upserts([object("b", 1)]))
        await source.stop()
    }

    @Test("a file is empty → its list is empty")
    func empty() async throws {
        try Writing.write("", to: path)
        let source = try follow()
        #expect(try await events.next() == .list([]))
        await source.stop()
    }

    @Test("another file replaces the file → the new file is read from its start, and the old one is no longer followed")
    func replaced() async throws {
        try Writing.write(line("a", 1), to: path)
        let source = try follow()
        _ = try await events.next()
        let old = unsafe open(path, O_WRONLY | O_APPEND)
        try Writing.replace(path, with: line("b", 2))
        #expect(try await events.nextSuccess() == .list([object("b", 2)]))
        let text = Array(line("x", 9).utf8)
        try #require(unsafe write(old, text, text.count) == text.count)
        close(old)
        try Writing.append(line("c", 3), to: path)
        #expect(try await events.next() == .upserts([object("c", 3)]))
        await source.stop()
    }

    @Test("a file is rotated → the new file is followed as soon as it appears")
    func rotated() async throws {
        try Writing.write(line("a", 1), to: path)
        let source = try follow()
        _ = try await events.next()
        try Writing.rename(path, to: path + ".1")
        #expect(try await events.nextFault()?.message == "\(path) was removed; listd waits for it")
        try Writing.write(line("b", 2), to: path)
        var event = try await events.nextSuccess()
        if event == .list([]) { event = try await events.next() }
        #expect(try event == .list([object("b", 2)]) || event == .upserts([object("b", 2)]))
        await source.stop()
    }

    @Test(
        "a file is overwritten with any length → read from its start",
        arguments: [line("b", 2), line("b", 1) + line("a", 1), line("z", 1) + line("a", 1) + line("c", 3)])
    func rewritten(text: String) async throws {
        try Writing.write(line("a", 1) + line("b", 1), to: path)
        let source = try follow()
        _ = try await events.next()
        try Writing.write(text, to: path)
        let wanted = try text.split(separator: "\n").map { line in
            try object(String(line.dropFirst(7).prefix(1)), Int(String(line.dropLast(2).suffix(1))) ?? 0)
        }
        // The source may also see the moment in which the file was empty.
        var event = try await events.next()
        if event == .list([]) { event = try await events.next() }
        #expect(event == .list(wanted) || event == .upserts(wanted))
        await source.stop()
    }

    @Test("bytes in the middle of a large file are overwritten → read from its start")
    func overwritten() async throws {
        let lines = (0..<5000).map { line("i\($0 + 10000)", 1) }
        try Writing.write(lines.joined(), to: path)
        let source = try follow()
        _ = try await events.next()
        let descriptor = unsafe open(path, O_WRONLY)
        let text = Array(line("i12500", 7).utf8)
        try #require(unsafe pwrite(descriptor, text, text.count, off_t(2500 * text.count)) == text.count)
        close(descriptor)
        guard case .list(let objects) = try await events.next() else {
            Issue.record("the source did not send the whole list")
            return
        }
        #expect(try objects.count == 5000 && objects[2500] == object("i12500", 7))
        await source.stop()
    }

    @Test("a file's modification time changes, but not its bytes → no event is sent")
    func touched() async throws {
        try Writing.write(line("a", 1), to: path)
        let source = try follow()
        _ = try await events.next()
        try Writing.setTime(of: path, to: 1_000_000_000)
        try Writing.append(line("b", 2), to: path)
        #expect(try await events.next() == .upserts([object("b", 2)]))
        await source.stop()
    }

    @Test("a file is overwritten with the same length and modification time → read from its start")
    func sameTime() async throws {
        let future = time(nil) + 3600
        try Writing.write(line("a", 1), to: path)
        try Writing.setTime(of: path, to: future)
        let source = try follow()
        _ = try await events.next()
        try Writing.overwrite(line("a", 2), in: path)
        try Writing.setTime(of: path, to: future)
        #expect(try await events.next() == .list([object("a", 2)]))
        await source.stop()
    }

    @Test("a file is removed → the list has an error and keeps its objects; the file is created again → it is read")
    func removed() async throws {
        try Writing.write(line("a", 1), to: path)
        let source = try follow()
        _ = try await events.next()
        unsafe unlink(path)
        #expect(try await events.nextFault()?.message == "\(path) was removed; listd waits for it")
        try Writing.replace(path, with: line("a", 1))
        #expect(try await events.next() == .fault(nil))
        #expect(try await events.next() == .list([object("a", 1)]))
        await source.stop()
    }

    @Test(
        "a line is malformed at the start → the error has file and line, and the list has the other lines"
    )
    func malformedAtStart() async throws {
        try Writing.write(line("a", 1) + "\nnonsense\n" + line("b", 2) + "more\n", to: path)
        let source = try follow()
        let fault = try await events.nextFault()
        #expect(fault?.code == .invalidObject && fault?.message == "\(path), line 3: malformed JSON")
        #expect(try await events.next() == .list([object("a", 1), object("b", 2)]))
        try Writing.append(line("c", 3), to: path)
        #expect(try await events.next() == .upserts([object("c", 3)]))
        try Writing.replace(path, with: line("d", 4))
        #expect(try await events.next() == .fault(nil))
        #expect(try await events.next() == .list([object("d", 4)]))
        await source.stop()
    }

    @Test("a malformed line is appended → the list has an error until its correction, and all other lines are read")
    func malformedLater() async throws {
        try Writing.write(line("a", 1), to: path)
        let source = try follow()
        _ = try await events.next()
        try Writing.append(line("b", 2) + "{\"id\":1}\n" + line("c", 3), to: path)
        #expect(try await events.nextFault()?.message == "\(path), line 3: id is not a string")
        #expect(try await events.next() == .upserts([object("b", 2), object("c", 3)]))
        try Writing.append("nonsense\n" + line("d", 4), to: path)
        #expect(try await events.next() == .upserts([object("d", 4)]))
        try Writing.replace(path, with: line("a", 1) + line("b", 2))
        #expect(try await events.next() == .fault(nil))
        #expect(try await events.next() == .list([object("a", 1), object("b", 2)]))
        await source.stop()
    }

    @Test(
        "all lines are malformed → the list fails; a valid line is appended → the list has its object, with the error")
    func nothingReadable() async throws {
        try Writing.write(line("old", 1), to: path)
        let source = try follow()
        _ = try await events.next()
        try Writing.replace(path, with: "nonsense\nmore\n")
        #expect(try await events.nextFailure().message == "\(path), line 1: malformed JSON")
        try Writing.append(line("a", 1) + line("b", 2) + line("a", 3), to: path)
        #expect(try await events.nextFault()?.message == "\(path), line 1: malformed JSON")
        #expect(try await events.next() == .list([object("a", 3), object("b", 2)]))
        await source.stop()
    }

    @Test("a line is endless → it is skipped at the size limit, and the next line has the right number")
    func endless() async throws {
        let limits = ObjectLimits(objectBytes: 64, idBytes: 16)
        try Writing.write(line("a", 1), to: path)
        let source = try follow(limits: limits, fileBytes: 1 << 20)
        _ = try await events.next()
        let most = JSONLDecoder.longestLine(limits)
        for _ in 0..<3 { try Writing.append(String(repeating: "x", count: most), to: path) }
        #expect(try await events.nextFault()?.message == "\(path), line 2 has more than \(most) bytes (ObjectBytes)")
        try Writing.append("x\n" + line("b", 2), to: path)
        #expect(try await events.next() == .upserts([object("b", 2)]))
        try Writing.replace(path, with: line("c", 3) + "\nnonsense\n")
        #expect(try await events.nextFault()?.message == "\(path), line 3: malformed JSON")
        #expect(try await events.next() == .list([object("c", 3)]))
        await source.stop()
    }

    @Test("the file is a directory, a pipe or a link loop → the list fails with the path until the file is replaced")
    func notAFile() async throws {
        try #require(unsafe mkdir(path, 0o755) == 0)
        let source = try follow()
        #expect(try await events.nextFailure().message == "\(path) is not a regular file")
        unsafe rmdir(path)
        try #require(unsafe mkfifo(path + ".pipe", 0o644) == 0)
        try Writing.rename(path + ".pipe", to: path)
        try #require(unsafe symlink(path, path + ".loop") == 0)
        try Writing.rename(path + ".loop", to: path)
        while try await !events.nextFailure().description.contains("Too many levels of symbolic links") {}
        try Writing.replace(path, with: line("a", 1))
        #expect(try await events.nextSuccess() == .list([object("a", 1)]))
        await source.stop()
    }

    @Test(
        "the file cannot be read → the list fails with the reason until permission is granted",
        .enabled(if: geteuid() != 0))
    func unreadable() async throws {
        try Writing.write(line("a", 1), to: path)
        try #require(unsafe chmod(path, 0) == 0)
        let source = try follow()
        let error = try await events.nextFailure()
        #expect(error.message == "\(path) cannot be read" && error.cause == "Permission denied")
        try #require(unsafe chmod(path, 0o644) == 0)
        #expect(try await events.next() == .list([object("a", 1)]))
        await source.stop()
    }

    @Test("a symbolic link gets another target, or its target grows → the list follows the target")
    func links() async throws {
        let (first, second) = (directory.file("first"), directory.file("far"))
        try #require(unsafe mkdir(second, 0o755) == 0)
        try Writing.write(line("a", 1), to: first)
        try Writing.write(line("b", 2), to: second + "/x")
        try #require(unsafe symlink("first", path) == 0)
        let source = try follow()
        #expect(try await events.next() == .list([object("a", 1)]))
        try #require(unsafe symlink("far/x", path + ".new") == 0)
        try Writing.rename(path + ".new", to: path)
        #expect(try await events.nextSuccess() == .list([object("b", 2)]))
        try Writing.append(line("c", 3), to: second + "/x")
        #expect(try await events.next() == .upserts([object("c", 3)]))
        try Writing.replace(second + "/x", with: line("d", 4))
        #expect(try await events.nextSuccess() == .list([object("d", 4)]))
        await source.stop()
    }

    @Test("a parent directory is renamed and replaced → the file in the new directory is followed")
    func renamedAbove() async throws {
        for name in ["top", "top/mid", "top/mid/low", "other", "other/mid", "other/mid/low"] {
            try #require(unsafe mkdir(directory.file(name), 0o755) == 0)
        }
        let path = directory.file("top/mid/low/list.jsonl")
        try Writing.write(line("a", 1), to: path)
        try Writing.write(line("b", 2), to: directory.file("other/mid/low/list.jsonl"))
        let source = try follow(path)
        #expect(try await events.next() == .list([object("a", 1)]))
        try Writing.rename(directory.file("top"), to: directory.file("gone"))
        #expect(try await events.nextFault()?.message == "\(path) was removed; listd waits for it")
        try Writing.rename(directory.file("other"), to: directory.file("top"))
        #expect(try await events.next() == .fault(nil))
        #expect(try await events.next() == .list([object("b", 2)]))
        try Writing.append(line("x", 9), to: directory.file("gone/mid/low/list.jsonl"))
        try Writing.append(line("c", 3), to: path)
        #expect(try await events.next() == .upserts([object("c", 3)]))
        await source.stop()
    }

    @Test(
        "a symbolic link in the path gets another target → the file at the new path is followed",
        arguments: [("release-1", "release-2"), ("./release-1/../release-1", "next")])
    func turned(_ targets: (String, String)) async throws {
        for name in ["release-1", "release-2"] {
            try #require(unsafe mkdir(directory.file(name), 0o755) == 0)
            try #require(unsafe mkdir(directory.file(name + "/data"), 0o755) == 0)
            try Writing.write(line(name, 1), to: directory.file(name + "/data/list.jsonl"))
        }
        try #require(unsafe symlink(directory.path + "/release-2", directory.file("next")) == 0)
        try #require(unsafe symlink(targets.0, directory.file("current")) == 0)
        let source = try follow(directory.file("current/data/list.jsonl"))
        #expect(try await events.next() == .list([object("release-1", 1)]))
        try #require(unsafe symlink(targets.1, directory.file("new")) == 0)
        try Writing.rename(directory.file("new"), to: directory.file("current"))
        #expect(try await events.next() == .list([object("release-2", 1)]))
        try Writing.append(line("c", 3), to: directory.file("release-2/data/list.jsonl"))
        #expect(try await events.next() == .upserts([object("c", 3)]))
        await source.stop()
    }

    @Test(
        "a file, an unterminated line or an object exceeds its limit → the list fails with an error that has the limit")
    func limits() async throws {
        let limits = ObjectLimits(objectBytes: 64, idBytes: 16)
        try Writing.write(String(repeating: "x", count: JSONLDecoder.longestLine(limits) + 1), to: path)
        let source = try follow(limits: limits, fileBytes: 4096)
        let long = try await events.nextFailure()
        #expect(long.code == .payloadTooLarge && long.message.hasPrefix("\(path), line 1 has more than"))
        let text = String(repeating: line("a", 1), count: 1000)
        try Writing.replace(path, with: text)
        let large = try await events.nextFailure()
        #expect(
            large.code == .payloadTooLarge
                && large.message == "\(path) has \(text.utf8.count) bytes, more than 4096 (FileBytes)")
        await source.stop()
    }

    @Test("limits are raised → only content that exceeded a limit is read again and sent")
    func raised() async throws {
        let small = ObjectLimits(objectBytes: 64, idBytes: 16)
        let text = line("a", 1) + line(String(repeating: "b", count: 17), 2)
        try Writing.write(text, to: path)
        let source = try follow(limits: small, fileBytes: 40)
        #expect(
            try await events.nextFailure().message == "\(path) has \(text.utf8.count) bytes, more than 40 (FileBytes)")
        source.setLimits(small, fileBytes: 4096)
        #expect(try await events.nextFault()?.message.hasPrefix("\(path), line 2: ") == true)
        #expect(try await events.next() == .list([object("a", 1)]))
        source.setLimits(ObjectLimits(), fileBytes: 4096)
        #expect(try await events.next() == .fault(nil))
        let both = [try object("a", 1), try object(String(repeating: "b", count: 17), 2)]
        #expect(try await events.next() == .list(both))

        let long = line(String(repeating: "c", count: 5000), 3)
        try Writing.append(long, to: path)
        #expect(try await events.nextFault()?.code == .payloadTooLarge)
        source.setLimits(ObjectLimits(idBytes: 8192), fileBytes: 1 << 20)
        #expect(try await events.next() == .fault(nil))
        #expect(try await events.next() == .list(both + [try object(String(repeating: "c", count: 5000), 3)]))
        source.setLimits(ObjectLimits(idBytes: 9000), fileBytes: 2 << 20)
        // Reporting a line proves that earlier notices about the file were handled. They cannot mix with the next
        // notice.
        try Writing.append(line("e", 5), to: path)
        #expect(try await events.next() == .upserts([object("e", 5)]))
        try Writing.append(line(String(repeating: "d", count: 8500), 4), to: path)
        #expect(try await events.next() == .upserts([object(String(repeating: "d", count: 8500), 4)]))
        await source.stop()
    }

    @Test("a source is stopped → it sends no further event; it is stopped again → the stop completes immediately")
    func stopped() async throws {
        try Writing.write(line("a", 1), to: path)
        let source = try follow()
        _ = try await events.next()
        await source.stop()
        await source.stop()
        let others = EventLog<Said>()
        let other = try JSONLSource(path: path, sink: others.sink)
        other.start()
        _ = try await others.next()
        try Writing.append(line("b", 2), to: path)
        _ = try await others.next()
        await other.stop()
        #expect(events.recorded.isEmpty)
    }

    @Test("random appends, truncations, rewrites, replacements and rotations → the list equals the final file")
    func randomChanges() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        try Writing.write("", to: path)
        let source = try follow()
        var model: [String: ListObject] = [:]
        for round in 0..<40 {
            for _ in 0..<Int.random(in: 1...6, using: &random) { try change(&random) }
            try Writing.append("\n" + line("last", round), to: path)
            while model["last"] != (try object("last", round)) {
                switch try await events.next() {
                case .list(let objects): model = Dictionary(objects.map { ($0.id, $0) }) { $1 }
                case .upserts(let upserts): for object in upserts { model[object.id] = object }
                case .failed, .fault, .ready, .paused, .other: break
                }
            }
            #expect(model == (try contents()), "seed \(seed), round \(round)")
        }
        await source.stop()
    }

    private func change(_ random: inout SeededRandom) throws {
        func lines() -> String {
            (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                line("i\(Int.random(in: 0..<9, using: &random))", Int.random(in: 0..<100, using: &random))
            }.joined()
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try Writing.write(lines(), to: path)
        case 1: try Writing.replace(path, with: lines())
        case 2:
            try Writing.rename(path, to: path + ".1")
            try Writing.write(lines(), to: path)
        default: try Writing.append(lines(), to: path)
        }
    }

    private func contents() throws -> [String: ListObject] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let descriptor = unsafe open(path, O_RDONLY)
        defer { close(descriptor) }
        let count = unsafe read(descriptor, &bytes, bytes.count)
        var decoder = try JSONLDecoder()
        let text = Array(bytes.prefix(count))
        let objects = try decoder.objects(in: text.span)
        return Dictionary(objects.map { ($0.id, $0) }) { $1 }
    }
}
