// SPDX-License-Identifier: Apache-2.0

// A plugin for the previous minor version of the API.
import PluginAPI

final class VeteranController: ListSectionController {
    private let greeting: String
    private var name = ""

    init(greeting: String) {
        self.greeting = greeting
        super.init()
    }

    override func didUpdate(to object: ListObject) { name = object.fields["name"]?.string ?? object.id }
    override func numberOfItems() -> Int { 2 }
    override func sizeForItem(at index: Int) -> Size { Size(width: 100, height: Double(10 * (index + 1))) }

    override func item(at index: Int) -> ListItem {
        ListItem(reuseIdentifier: "veteran", content: ["text": .string("\(greeting), \(name) \(index)")])
    }
}

enum Veteran: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        let greeting = host.settings["Greeting"] ?? "Hello"
        return PluginManifest(
            name: "veteran", version: "0.9",
            sectionControllers: [.controller("VeteranController") { VeteranController(greeting: greeting) }])
    }
}

/// The entry point that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(Veteran.self, to: call) }
