// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Messages on standard error about lists whose source cannot be read, which otherwise look like lists that never
/// change.
@DBusActor
enum FailedLists {
    /// Writes a message about one list.
    static func tell(of adapter: RemoteObject, named name: String) async {
        let state = try? await adapter.property("State", as: String.self)
        tell(name, state: state ?? "", error: try? await adapter.property("SourceError", as: String.self))
    }

    /// Writes messages about lists, and about plugins that failed.
    static func tellAll(_ lists: [ListDescription], of daemon: ListDaemonClient) async {
        for list in lists { tell(list.name, state: list.state, error: list.sourceError) }
        for plugin in (try? await daemon.plugins()) ?? [] where plugin.state == failed {
            Output.complain("the plugin “\(plugin.name)” has failed: \(plugin.lastError)")
        }
    }

    private static let failed = "failed"

    private static func tell(_ name: String, state: String, error: String?) {
        if state == failed {
            let reason = error.map { ": \($0)" } ?? "; those who may read it see why"
            Output.complain("the list “\(name)” has failed\(reason)")
        } else if let error, !error.isEmpty {
            Output.complain("the list “\(name)” is not complete: \(error)")
        }
    }
}
