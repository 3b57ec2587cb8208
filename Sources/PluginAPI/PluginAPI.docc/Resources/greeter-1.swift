import PluginAPI

enum GreeterPlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        PluginManifest(
            name: "greeter", version: "1.0.0",
            sectionControllers: [.controller("Greeting") { GreetingController() }])
    }
}

final class GreetingController: ListSectionController {
    private var name = ""

    override func didUpdate(to object: ListObject) { name = object.fields["name"]?.string ?? object.id }

    override func sizeForItem(at index: Int) -> Size {
        Size(width: context?.containerSize.width ?? 0, height: 30)
    }

    override func item(at index: Int) -> ListItem {
        ListItem(reuseIdentifier: "greeting", content: ["text": .string("Hello, \(name)!")])
    }
}

/// The symbol that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(GreeterPlugin.self, to: call) }
