import PluginAPI
import Testing

@testable import ListDaemon

@Suite("What a plugin says in the log")
struct PluginLoggerTests {
    private let sink = RecordingSink()
    private let log: Log

    init() { log = Log(level: .debug, sink: sink) }

    @Test("a plugin that talks too much → limited, with its name; what listd says about it is written all the same")
    func budget() {
        let logger = PluginLogger(log, plugin: "greenhouse")
        for number in 1...100 { logger.warning("\(number)") }
        log.error("plugin greenhouse: its worker has ended", limitedBy: "plugin greenhouse")
        let written = sink.entries
        #expect(written.count == RateLimit.perClient.burst + 1)
        #expect(written.first?.message == "greenhouse: 1")
        #expect(written.first?.level == .warning)
        #expect(written.first?.fields.map(\.value) == ["greenhouse"])
        #expect(written.last?.message == "plugin greenhouse: its worker has ended")
    }
}
