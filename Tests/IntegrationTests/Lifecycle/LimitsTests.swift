import DBus
import Testing

@Suite("Limits on a real listd", .timeLimit(.minutes(3)))
@DBusActor
struct LimitsTests {
    @Test("limits from listd.conf → LimitsExceeded beyond them, and shrinking works at them")
    func limits() async throws {
        let stage = try await Stage(files: [
            "listd.conf": "[Limits]\nAdaptersPerUser=2\nViewsPerUser=1\nObjectsPerUser=3\nPayloadBytes=1K\n"
        ])
        let adapter = try await stage.createAdapter("one")
        _ = try await stage.createAdapter("two")
        let limit = Listd.standardError("LimitsExceeded")
        #expect(await refusal { _ = try await stage.createAdapter("three") } == limit)
        _ = try await adapter.performUpdates(["a", "b", "c"].map { Row($0, "", [:]) })
        #expect(await refusal { _ = try await adapter.applyChanges([Upsert("d", "", "last", "", [:])]) } == limit)
        _ = try await adapter.applyChanges(remove: ["a"], [Upsert("d", "", "last", "", [:])])
        #expect(try await adapter.objects().rows.map(\.id) == ["b", "c", "d"])
        let big = Row("x", "", ["big": .string(String(repeating: "x", count: 2000))])
        #expect(await refusal { _ = try await adapter.performUpdates([big]) } == Listd.error("PayloadTooLarge"))
        let open: @DBusActor @Sendable () async throws -> Void = {
            _ = try await adapter.by(stage.client).call(
                "OpenView", [String: DBusValue](), returning: ObjectPath.self, UInt64.self, UInt32.self, UInt32.self)
        }
        try await open()
        #expect(await refusal(open) == limit)
        try await stage.manager.call("RemoveAdapter", "two")
        _ = try await stage.createAdapter("three")
        await stage.stop()
    }

    private func refusal(_ body: @DBusActor @Sendable () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return DBusError(error).name
        }
    }
}
