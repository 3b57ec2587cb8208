// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI
import PluginTestSupport
import Testing

@testable import marslink

@Suite("The data source of the Mars feed", .timeLimit(.minutes(2)))
struct FeedSourceTests {
    private let path = URL(filePath: NSTemporaryDirectory())
        .appending(path: "marslink.\(UUID().uuidString).jsonl").path(percentEncoded: false)

    private func source(_ argument: String = "", _ settings: [String: String] = [:]) async throws -> TestSource {
        try await TestSource(MarslinkPlugin.self, "feed", argument: argument, settings: PluginSettings(settings))
    }

    @Test("no file → the sample feed is used, and its messages arrive one by one at their positions by date")
    func sample() async throws {
        let source = try await source("", ["MessageInterval": "1ms"])
        await source.wait { !$0.objects.isEmpty }
        #expect(source.objects.map(\.type).filter { $0 == "message" }.isEmpty)
        for count in 1...SampleFeed.messages.count {
            guard case .changes(let removed, let upserts)? = await source.next() else {
                Issue.record("no change")
                return
            }
            #expect(removed.isEmpty)
            #expect(upserts.count == 1)
            let dates = source.objects.compactMap { $0.fields["date"]?.int }
            #expect(dates == dates.sorted(by: >))
            #expect(source.objects.filter { $0.type == "message" }.count == count)
        }
        await source.stop()
    }

    @Test("the file changes → the list is updated; the file is removed → the list fails until the file exists again")
    func file() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        func write(_ lines: String) throws { try lines.write(toFile: path, atomically: true, encoding: .utf8) }
        let line = #"{"kind":"journal","id":"j","date":"2035-11-06T10:00:00Z","author":"Ines","text":"Hello"}"#
        try write(line)
        let source = try await source(path, ["ReadInterval": "5ms"])
        await source.wait { $0.objects.map(\.id) == ["j"] }
        try write(line + "\n" + line.replacingOccurrences(of: #""j""#, with: #""k""#) + "\nbroken")
        await source.wait { $0.objects.map(\.id) == ["j", "k"] }
        #expect(source.failure == nil)
        try write("broken")
        await source.wait { $0.failure != nil }
        #expect(source.failure == "\(path):1: the line is not JSON")
        #expect(source.objects.map(\.id) == ["j", "k"])
        try FileManager.default.removeItem(atPath: path)
        await source.wait { $0.failure?.contains("not JSON") == false }
        #expect(source.failure?.contains(path) == true)
        try write(line)
        await source.wait { $0.failure == nil }
        #expect(source.objects.map(\.id) == ["j"])
        await source.stop()
    }

    @Test("the file is a FIFO without a writer → the list fails instead of blocking")
    func pipe() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let source = try await source(path, ["ReadInterval": "5ms"])
        await source.wait { $0.failure != nil }
        #expect(source.failure == "\(path) is not a regular file")
        await source.stop()
    }

    @Test("the file is too large → the list fails with the maximum size")
    func tooLarge() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(count: 1 << 20 + 1).write(to: URL(filePath: path))
        let source = try await source(path)
        await source.wait { $0.failure != nil }
        #expect(source.failure == "\(path) has more than 1048576 bytes")
    }

    @Test(
        "an invalid argument or setting → the source is not created",
        arguments: [
            ("feed.jsonl", [:]), ("", ["MessageInterval": "often"]), ("", ["ReadInterval": "-1"]),
            ("", ["Landing": "soon"]),
        ] as [(String, [String: String])])
    func refused(argument: String, settings: [String: String]) async {
        await #expect(throws: (any Error).self) { try await source(argument, settings) }
    }
}
