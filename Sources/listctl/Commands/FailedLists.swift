// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Messages on standard error about lists whose source cannot be read. Without a message, such a list would look like
/// one that never changes.
@DBusActor
enum FailedLists {
    /// Prints a message if the list has failed, or lacks a part of its source.
    static func report(_ adapter: RemoteObject, named name: String) async {
        let state = try? await adapter.property("State", as: String.self)
        report(name, state: state ?? "", error: (try? await adapter.property("SourceError", as: String.self)) ?? "")
    }

    /// Prints messages about all lists that have failed or lack a part of their source, and about plugins that have
    /// failed.
    static func reportAll(_ lists: [ListDescription], of daemon: ListDaemonClient) async {
        for list in lists { report(list.name, state: list.state, error: list.sourceError) }
        for plugin in (try? await daemon.plugins()) ?? [] where plugin.values.text("state") == failed {
            Output.printMessage("the plugin “\(plugin.name)” has failed: \(plugin.values.text("error") ?? "")")
        }
    }

    private static let failed = "failed"

    private static func report(_ name: String, state: String, error: String) {
        if state == failed {
            let reason = error.isEmpty ? "; users who may read the list see the reason" : ": \(error)"
            Output.printMessage("the list “\(name)” has failed\(reason)")
        } else if !error.isEmpty {
            Output.printMessage("the list “\(name)” is not complete: \(error)")
        }
    }
}
