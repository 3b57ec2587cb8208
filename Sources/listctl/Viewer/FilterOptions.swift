// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Options of a list that follows another one for as long as the connection lasts.
@DBusActor
enum FilterOptions {
    /// Options that a list sets itself instead of taking them from the list that it follows.
    private static let own: Set<String> = [
        "source", "transient", "durability", "readers", "writers", "invokers", "empty", "near-end-distance",
    ]

    /// The options of the other list, so that objects look as they do there, with the source and `transient` of its
    /// own.
    static func make(
        of base: String, _ query: ListQueryText, by daemon: ListDaemonClient
    ) async throws(DBusError) -> [String: DBusValue] {
        var options = try await daemon.adapter(base).property("Options", as: [String: DBusValue].self)
        options = options.filter { !own.contains($0.key) }
        options["source"] = .string(query.source(of: base))
        options["transient"] = .boolean(true)
        return options
    }
}
