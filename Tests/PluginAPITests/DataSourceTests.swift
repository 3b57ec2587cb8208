// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginAPI
import Testing

/// A data source whose methods are closures.
private final class TestSource: DataSource {
    var begin: (DataSourceContext) throws -> Void
    var end: () -> Void
    private let context: DataSourceContext

    init(_ context: DataSourceContext, begin: @escaping (DataSourceContext) throws -> Void, end: @escaping () -> Void) {
        self.context = context
        self.begin = begin
        self.end = end
    }

    func start() throws { try begin(context) }
    func stop() { end() }
}

/// Runs a data source and returns its events one by one.
private struct Running {
    let runner: DataSourceRunner
    private let events: AsyncStream<DataSourceEvent>

    init(
        argument: String = "", host: PluginHost = PluginHost(), end: @escaping @Sendable () -> Void = {},
        _ begin: @escaping @Sendable (DataSourceContext) throws -> Void
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: DataSourceEvent.self)
        events = stream
        let entry = DataSourceEntry.source("test") { TestSource($0, begin: begin, end: end) }
        runner = DataSourceRunner(entry, argument: argument, host: host) { continuation.yield($0) }
        runner.make { _ in }
        runner.start()
    }

    /// Returns the next events as texts.
    func next(_ count: Int) async -> [String] {
        var texts: [String] = []
        for await event in events.prefix(count) { texts.append(text(event)) }
        return texts
    }

    private func text(_ event: DataSourceEvent) -> String {
        switch event {
        case .replace(let objects): "replace \(objects.map(\.id).joined(separator: ","))"
        case .changes(let removed, let upserts):
            "changes -\(removed.joined(separator: ",")) +\(upserts.map(\.object.id).joined(separator: ","))"
        case .failed(let message): "failed \(message)"
        case .ready: "ready"
        case .incomplete(let message): "incomplete \(message ?? "-")"
        case .upTo, .replacementBegan, .page, .replacementEnded, .replacementAbandoned, .written: "other"
        @unknown default: "unknown"
        }
    }
}

@Suite("Data sources", .timeLimit(.minutes(1)))
struct DataSourceTests {
    @Test("a source sends events → the events arrive in order, and the source has its argument and settings")
    func order() async {
        let host = PluginHost(settings: PluginSettings(["Unit": "K"]))
        let running = Running(argument: "a?b", host: host) { context in
            context.sink.replace([try ListObject(id: context.argument)])
            context.sink.changes(removed: ["x"], upserts: [.init(try ListObject(id: context.settings["Unit"] ?? "?"))])
            context.sink.failed("no more")
            context.sink.ready()
        }
        #expect(await running.next(4) == ["replace a?b", "changes -x +K", "failed no more", "ready"])
    }

    @Test("a source throws during its start → its list fails with the error's text")
    func cannotStart() async {
        let running = Running { _ in throw ListError(.invalidObject, "nothing to read") }
        #expect(await running.next(1) == ["failed nothing to read"])
        let other = Running { _ in throw PluginSettingError(key: "Unit", value: "", expected: "a unit") }
        #expect(await other.next(1) == ["failed Unit=: expected a unit"])
    }

    @Test("a source's initializer throws → the caller gets the error, and no event is sent")
    func cannotBeMade() async {
        let entry = DataSourceEntry.source("test") { _ in throw ListError(.invalidArguments, "bad argument") }
        let runner = DataSourceRunner(entry, argument: "", host: PluginHost()) { _ in
            Issue.record("the source sent an event")
        }
        let error = await withCheckedContinuation { done in runner.make { done.resume(returning: $0) } }
        #expect(error == ListError(.invalidArguments, "bad argument"))
        await withCheckedContinuation { done in runner.stop { done.resume() } }
    }

    @Test(
        "a source reads an invalid argument → invalidArguments is thrown; an invalid setting → pluginFailed is thrown",
        arguments: [
            ("/srv&depth=0", [:], ListError.Code.invalidArguments),
            ("/srv&depth=0", ["depth": "0"], .invalidArguments),
            ("many", [:], .invalidArguments),
            ("/srv", ["depth": "0"], .pluginFailed),
            ("/srv&depthless=1", ["depth": "0"], .pluginFailed),
        ] as [(String, [String: String], ListError.Code)])
    func badValue(argument: String, settings: [String: String], code: ListError.Code) async {
        let entry = DataSourceEntry.source("test") { _ in
            throw PluginSettingError(key: "depth", value: "0", expected: "1 to 64")
        }
        let host = PluginHost(settings: PluginSettings(settings))
        let runner = DataSourceRunner(entry, argument: argument, host: host) { _ in
            Issue.record("the source sent an event")
        }
        let error = await withCheckedContinuation { done in runner.make { done.resume(returning: $0) } }
        #expect(error == ListError(code, "depth=0: expected 1 to 64"))
    }

    @Test(
        "a source polls → it reads immediately and then at intervals, and a failure is reported until the next success"
    )
    func poll() async {
        let running = Running { context in
            var count = 0
            context.poll(every: .milliseconds(2)) {
                count += 1
                if count == 2 { throw ListError(.invalidObject, "reading \(count)") }
                return [try ListObject(id: "\(count)")]
            }
        }
        #expect(await running.next(3) == ["replace 1", "failed reading 2", "replace 3"])
        running.runner.stop()
    }

    @Test("a source sets timers → they are called once after a delay, or repeatedly until cancelled")
    func timers() async {
        let running = Running { context in
            var ticks = 0
            var timer: DataSourceActivity?
            timer = context.every(.milliseconds(1)) {
                ticks += 1
                context.sink.failed("tick \(ticks)")
                if ticks == 3 {
                    timer?.cancel()
                    context.after(.milliseconds(20)) { context.sink.failed("after") }
                }
            }
        }
        #expect(await running.next(4) == ["failed tick 1", "failed tick 2", "failed tick 3", "failed after"])
        running.runner.stop()
    }

    @Test("a descriptor becomes readable → its handler is called; the source stops → the descriptor is closed")
    func descriptor() async throws {
        var ends: [Int32] = [-1, -1]
        let made = unsafe pipe(&ends)
        try #require(made == 0)
        let (input, output) = (ends[0], ends[1])
        let flagged = fcntl(input, F_SETFL, O_NONBLOCK)
        try #require(flagged == 0)
        let running = Running { context in
            context.sink.ready()
            context.whenReadable(input) {
                var byte: UInt8 = 0
                while unsafe read(input, &byte, 1) == 1 { context.sink.failed("byte \(byte)") }
            }
        }
        #expect(await running.next(1) == ["ready"])
        var bytes: [UInt8] = [7, 8]
        let written = unsafe write(output, &bytes, 2)
        try #require(written == 2)
        #expect(await running.next(2) == ["failed byte 7", "failed byte 8"])
        await withCheckedContinuation { done in running.runner.stop { done.resume() } }
        // The reading end is closed after the source has stopped. The pipe then has no reader.
        var state = pollfd(fd: output, events: 0, revents: 0)
        let polled = unsafe Glibc.poll(&state, 1, 10_000)
        #expect(polled == 1)
        #expect(state.revents & Int16(POLLERR) != 0)
        close(output)
    }

    @Test("a source is stopped → it is notified once, its timers end, and its later events are dropped")
    func stop() async {
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        let running = Running(end: { continuation.yield(()) }) { context in
            context.every(.milliseconds(1)) { context.sink.ready() }
        }
        #expect(await running.next(2) == ["ready", "ready"])
        await withCheckedContinuation { done in running.runner.stop { done.resume() } }
        await withCheckedContinuation { done in running.runner.stop { done.resume() } }
        continuation.finish()
        var stops = 0
        for await _ in ended { stops += 1 }
        #expect(stops == 1)
    }

    @Test("a source is stopped before its start → it is never created")
    func stoppedFirst() async {
        let entry = DataSourceEntry.source("test") { _ in
            Issue.record("the source was created")
            throw ListError(.pluginFailed, "")
        }
        let runner = DataSourceRunner(entry, argument: "", host: PluginHost()) { _ in
            Issue.record("the source sent an event")
        }
        runner.stop()
        let error = await withCheckedContinuation { done in runner.make { done.resume(returning: $0) } }
        #expect(error == nil)
        runner.start()
    }
}
