// SPDX-License-Identifier: Apache-2.0

// A plugin with a typical section controller. It is built twice: as `inside` for the daemon, as `outside` for a
// worker.
import PluginAPI

#if INSIDE
let name = "inside"
#else
let name = "outside"
#endif

/// A section controller that makes three items for each object.
final class BindingController: ListBindingSectionController {
    override func viewModels(for object: ListObject) -> [ListItem] {
        (0..<3).map { number in
            ListItem(identity: "\(number)", reuseIdentifier: "row", content: object.fields)
        }
    }

    override func sizeForViewModel(_ viewModel: ListItem, at index: Int) -> Size { Size(width: 320, height: 42) }
}

enum BenchmarkPlugin: Plugin {
    static func manifest(for host: PluginHost) -> PluginManifest {
        PluginManifest(
            name: name, version: "1", sectionControllers: [.controller("BindingController") { BindingController() }])
    }
}

/// The symbol through which listd loads the plugin.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(BenchmarkPlugin.self, to: call) }
