// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Log messages of a plugin")
struct PluginLoggerTests {
    private let sink = RecordingSink()
    private let log: Log

    init() { log = Log(level: .debug, sink: sink) }

    @Test(
        "a plugin logs too much → its messages are rate-limited, but not listd's messages about the plugin"
    )
    func budget() {
        let logger = PluginLogger(log, plugin: "greenhouse")
        for number in 1...100 { logger.warning("\(number)") }
        log.error("plugin greenhouse: its worker has ended", limitedBy: "plugin greenhouse")
        let written = sink.entries
        // A line says that more are suppressed.
        #expect(written.count == RateLimit.perClient.burst + 2)
        #expect(written.first?.message == "greenhouse: 1")
        #expect(written.first?.level == .warning)
        #expect(written.first?.fields.map(\.value) == ["greenhouse"])
        #expect(written.last?.message == "plugin greenhouse: its worker has ended")
    }

    @Test(
        "a message exceeds the size limit → it is truncated between characters and marked; at the limit → it stays",
        arguments: [("a", 1), ("ä", 2), ("👩‍👩‍👧", 18)])
    func length(character: String, bytes: Int) throws {
        let limit = PluginLogger.greatestLength
        let logger = PluginLogger(log, plugin: "greenhouse")
        logger.info(String(repeating: character, count: limit / bytes))
        logger.info(String(repeating: character, count: limit + 1))
        let texts = sink.entries.map { $0.message.dropFirst("greenhouse: ".count) }
        #expect(texts.first?.count == limit / bytes)
        let cut = try #require(texts.last)
        #expect(cut.utf8.count <= limit && cut.utf8.count > limit - bytes - "…".utf8.count)
        #expect(cut.last == "…")
        #expect(cut.dropLast().allSatisfy { $0 == Character(character) })
    }

    @Test("a single character exceeds the size limit → it is truncated")
    func endlessCharacter() throws {
        PluginLogger(log, plugin: "greenhouse").info("e" + String(repeating: "\u{301}", count: 100_000))
        let text = try #require(sink.entries.first).message
        #expect(text.utf8.count <= PluginLogger.greatestLength + "greenhouse: ".utf8.count)
        #expect(text.last == "…" && text.utf8.starts(with: "greenhouse: e\u{301}".utf8))
    }
}
