import DBus
import TestSupport
import Testing

@Suite("listctl monitor", .timeLimit(.minutes(3)))
@DBusActor
struct ListctlMonitorTests {
    /// Changes a list until the monitor has told of it.
    private func change(_ adapter: TestAdapter, until name: String, isToldBy monitor: ChildProcess) async throws {
        let isTold = Countdown(1)
        let writing = Task { @DBusActor in
            var number: Int64 = 0
            while !isTold.isOver {
                number += 1
                _ = try await adapter.applyChanges([Upsert("a", "t", "keep", "", ["n": .int64(number)])])
            }
        }
        defer { isTold.answered() }
        _ = try await monitor.lines.next(timeout: .seconds(60)) { $0.hasPrefix("\(name)  Updated  ") }
        isTold.answered()
        try await writing.value
    }

    private let restricted: [String: DBusValue] = ["readers": .string("owner")]

    @Test(
        "a restricted list, an open one, and ones that come later → all are told of",
        arguments: TransportKind.allCases)
    func all(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let (secret, open) = (
            try await stage.createAdapter("secret", restricted), try await stage.createAdapter("open")
        )
        let monitor = try Listctl.start(stage.address(transport), "monitor")
        try await change(secret, until: "secret", isToldBy: monitor)
        try await change(open, until: "open", isToldBy: monitor)
        let later = try await stage.createAdapter("later", restricted)
        try await change(later, until: "later", isToldBy: monitor)
        monitor.stop()
        await stage.stop()
    }

    @Test(
        "listd starts again → the restricted list is told of again",
        arguments: [["monitor"], ["monitor", "secret"]])
    func restart(arguments: [String]) async throws {
        let first = try await Stage()
        let list = try await first.createAdapter("secret", restricted)
        let monitor = try ChildProcess(Listctl.path, ["--bus", first.bus.address] + arguments)
        try await change(list, until: "secret", isToldBy: monitor)
        await first.stop()
        _ = try await monitor.lines.next(timeout: .seconds(60)) { $0 == "listctl: waiting for listd" }
        let second = try await Stage(on: first.bus)
        let again = try await second.createAdapter("secret", restricted)
        try await change(again, until: "secret", isToldBy: monitor)
        monitor.stop()
        await second.stop()
    }
}
