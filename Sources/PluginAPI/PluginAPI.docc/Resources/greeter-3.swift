import PluginAPI
import PluginTestSupport
import Testing

@testable import greeter

@Test("an object has a name → its item greets the name")
func greeting() throws {
    let list = try TestList(GreeterPlugin.self)
    try list.update([try ListObject(id: "ada", type: "name", fields: ["name": "Ada"])])
    #expect(list.items(of: "ada").first?.content["text"] == "Hello, Ada!")
    #expect(list.faults.isEmpty)
}
