import PluginAPI

enum GreeterPlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        PluginManifest(
            name: "greeter", version: "1.0.0",
            sectionControllers: [.controller("Greeting") { GreetingController() }],
            dataSources: [.source("names") { context in NamesSource(context) }])
    }
}

/// `greeter/names?NAME,NAME,…`
final class NamesSource: DataSource {
    private let context: DataSourceContext

    init(_ context: DataSourceContext) { self.context = context }

    func start() throws {
        let names = context.argument.split(separator: ",").map(String.init)
        context.poll(every: .seconds(60)) {
            try names.map { name in try ListObject(id: name, type: "name", fields: ["name": .string(name)]) }
        }
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
