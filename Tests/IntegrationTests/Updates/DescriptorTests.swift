// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

/// Transfers of whole lists and dumps through file descriptors.
@Suite("File descriptors over the bus", .timeLimit(.minutes(3)))
@DBusActor
struct DescriptorTests {
    private static let text = """
        {"id": "a", "type": "row", "fields": {"n": 1, "on": true, "list": ["x", 2.5]}}

        {"id": "b", "fields": {"gone": null, "nested": {"k": "v"}}}

        """
    private static let rows = [
        ObjectRow(
            id: "a", type: "row",
            fields: [
                "n": .int64(1), "on": .boolean(true),
                "list": .array(element: "v", [.variant(.string("x")), .variant(.double(2.5))]),
            ]),
        ObjectRow(id: "b", type: "", fields: ["nested": .options(["k": .string("v")])]),
    ]

    /// The kind of descriptor from which the text can be read.
    enum Kind: String, CaseIterable, Sendable {
        case file, pipe, socket

        func open(_ text: String) throws -> FileDescriptor {
            let bytes = Array(text.utf8)
            var ends: [Int32] = [-1, -1]
            switch self {
            case .file:
                var name = Array("/tmp/listd-test-XXXXXX".utf8CString)
                ends[0] = unsafe mkstemp(&name)
                unsafe unlink(name)
            case .pipe: unsafe Glibc.pipe(&ends)
            case .socket: unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            }
            let target = ends[1] >= 0 ? ends[1] : ends[0]
            try #require(unsafe write(target, bytes, bytes.count) == bytes.count)
            if ends[1] >= 0 { close(ends[1]) }
            return FileDescriptor(adopting: ends[0])
        }
    }

    private func perform(
        _ adapter: TestAdapter, _ file: FileDescriptor, by client: Connection? = nil, expecting: UInt64 = 0,
        format: String = "jsonl", _ options: [String: DBusValue] = [:]
    ) async throws -> UInt64 {
        try await adapter.by(client ?? adapter.stage.client).call(
            "PerformUpdatesFromFile", expecting, file, format, options, returning: UInt64.self)
    }

    @Test(
        "a client passes a list in a file, a pipe or a socket → the list has exactly these objects", .rule("WT-08"),
        arguments: Kind.allCases, TransportKind.allCases)
    func reading(kind: Kind, transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        let client = try await stage.connect(transport)
        #expect(try await perform(adapter, try kind.open(Self.text), by: client) == 1)
        #expect(try await adapter.objects().rows == Self.rows)
        #expect(try await perform(adapter, try kind.open(Self.text), by: client) == 1)
        await stage.stop()
    }

    @Test(
        "SIGTERM while listd reads a list from a pipe → the caller gets ShuttingDown",
        arguments: TransportKind.allCases)
    func ending(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        let client = try await stage.connect(transport)
        var ends: [Int32] = [-1, -1]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        let (pipe, writer) = (FileDescriptor(adopting: ends[0]), FileDescriptor(adopting: ends[1]))
        let isSent = EventLog<Bool>()
        let caller = Task { @DBusActor in
            let call = try adapter.by(client).message("PerformUpdatesFromFile") { (message) throws(DBusError) in
                try message.write(UInt64(0), pipe, "jsonl", [String: DBusValue]())
            }
            isSent.record(true)
            _ = try await client.call(call)
        }
        _ = try await isSent.next()
        #expect(try await adapter.by(client).property("Revision", as: UInt64.self) == 0)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        let error = await #expect(throws: DBusError.self) { try await caller.value }
        #expect(error?.name == Listd.error("ShuttingDown"))
        withExtendedLifetime(writer) {}
    }

    @Test(
        "the file, the format, the options or the revision is wrong → a specific error is sent, and nothing is applied")
    func faults() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        let directory = FileDescriptor(adopting: unsafe open("/tmp", O_RDONLY))
        let device = FileDescriptor(adopting: unsafe open("/dev/zero", O_RDONLY))
        let invalid = Listd.standardError("InvalidArgs")
        #expect(await failure { _ = try await perform(adapter, directory) } == invalid)
        #expect(await failure { _ = try await perform(adapter, device) } == invalid)
        let good = try Kind.file.open(Self.text)
        #expect(await failure { _ = try await perform(adapter, good, format: "csv") } == invalid)
        #expect(await failure { _ = try await perform(adapter, good, ["nope": .byte(1)]) } == invalid)
        let bad = try Kind.file.open(Self.text + "{}\n")
        #expect(await failure { _ = try await perform(adapter, bad) } == Listd.error("InvalidObject"))
        #expect(await failure { _ = try await perform(adapter, bad, expecting: 9) } == Listd.error("RevisionConflict"))
        let twice = try Kind.file.open(#"{"id":"a"}"# + "\n" + #"{"id":"a"}"#)
        let duplicate = await failure { _ = try await perform(adapter, twice, ["duplicates": .string("fail")]) }
        #expect(duplicate == Listd.error("DuplicateIdentifier"))
        #expect(try await adapter.objects().revision == 0)
        await stage.stop()
    }

    @Test(
        "GetObjectsByFileDescriptor is called → a sealed memory file has the list, with non-JSON values replaced",
        arguments: TransportKind.allCases)
    func writing(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        _ = try await perform(adapter, try Kind.file.open(Self.text))
        let client = try await stage.connect(transport)
        let (epoch, revision, total, file) = try await adapter.by(client).call(
            "GetObjectsByFileDescriptor", UInt32(0), UInt32(10), "jsonl", returning: String.self, UInt64.self,
            UInt32.self,
            FileDescriptor.self)
        let known = try await adapter.epoch()
        #expect(epoch == known && revision == 1 && total == 2)
        #expect(unsafe write(file.rawValue, "x", 1) == -1 && errno == EPERM)
        let copy = try await stage.createAdapter("copy")
        #expect(try await perform(copy, file) == 1)
        #expect(try await copy.objects().rows == Self.rows)
        _ = try await adapter.performUpdates([
            Row(
                "c", "",
                [
                    "bytes": .array(element: "y", [.byte(0), .byte(255)]), "nan": .double(.nan),
                    "pair": .structure([.int32(1), .string("x")]), "path": .objectPath("/a"),
                ])
        ])
        let (_, _, _, odd) = try await adapter.by(client).call(
            "GetObjectsByFileDescriptor", UInt32(0), UInt32(10), "jsonl", returning: String.self, UInt64.self,
            UInt32.self,
            FileDescriptor.self)
        let fields = #"{"bytes":"AP8=","nan":null,"pair":[1,"x"],"path":"/a"}"#
        #expect(contents(of: odd).contains(fields), "\(contents(of: odd))")
        await stage.stop()
    }

    @Test("Dump and DumpByFileDescriptor are called → both texts describe the daemon, each adapter and each view")
    func dump() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(3)
        let view = try await TestView(adapter)
        try await view.setViewport(y: 0)
        let inline = try await stage.manager.call("Dump", returning: String.self)
        let file = try await stage.manager.call("DumpByFileDescriptor", returning: FileDescriptor.self)
        for text in [inline, contents(of: file)] {
            for word in ["listd ", "transactions: 1", "“list” (ready)", "updater batch: idle", "3 slots", "view 1"] {
                #expect(text.contains(word), "\(word) in \(text)")
            }
        }
        await stage.stop()
    }

    private func contents(of file: FileDescriptor) -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = unsafe pread(file.rawValue, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
