import PluginAPI
import PluginTestSupport
import Testing

@testable import template

@Suite("The template plugin", .timeLimit(.minutes(1)))
struct TemplateTests {
    @Test("a reading is listed → its row has the whole width, the name and the value")
    func row() throws {
        let list = try TestList(TemplatePlugin.self, size: Size(width: 300, height: 400))
        try list.update([Reading(name: "tomatoes", value: 21.46).listObject()])
        let row = try #require(try list.shown(of: "tomatoes").first)
        #expect(row.reuseIdentifier == "reading")
        #expect(row.frame == Rect(x: 0, y: 0, width: 300, height: 44))
        #expect(row.content["title"] == "tomatoes")
        #expect(row.content["detail"] == "21.5 °C")
        #expect(list.faults.isEmpty)
    }

    @Test("a row is tapped → its tap count increases, and a change of the value or a reload keeps the count")
    func taps() throws {
        let list = try TestList(TemplatePlugin.self)
        try list.update([Reading(name: "beans", value: 1).listObject()])
        try list.select(of: "beans")
        try list.update([Reading(name: "beans", value: 2).listObject()])
        #expect(list.items(of: "beans").first?.content["taps"] == 1)
        try list.perform(.reloadData)
        #expect(list.items(of: "beans").first?.content["taps"] == 1)
    }

    @Test("an object lacks a reading's fields → only its section reports a fault")
    func notAReading() throws {
        let list = try TestList(TemplatePlugin.self)
        try list.update([ListObject(id: "x", type: "reading"), Reading(name: "beans", value: 1).listObject()])
        #expect(list.faults.map(\.objectID) == ["x"])
        #expect(list.items(of: "beans").count == 1)
    }

    @Test("the argument has names → the list has a reading for each name, which is updated at intervals")
    func source() async throws {
        let settings = PluginSettings(["Interval": "1ms"])
        let source = try await TestSource(TemplatePlugin.self, "readings", argument: "a,b", settings: settings)
        for _ in 0..<3 {
            guard case .replace(let objects)? = await source.next() else {
                Issue.record("no list")
                return
            }
            #expect(objects.map(\.id) == ["a", "b"])
        }
        await source.stop()
    }

    @Test("no names in the argument → the source is not created")
    func noNames() async {
        await #expect(throws: ListError.self) { try await TestSource(TemplatePlugin.self, "readings") }
    }
}
