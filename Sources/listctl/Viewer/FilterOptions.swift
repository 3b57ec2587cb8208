// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The options for a list that shows a filtered copy of another list, for as long as the connection lasts.
@DBusActor
enum FilterOptions {
    /// The options that are not copied from the followed list to the filtered list.
    private static let own: Set<String> = [
        "source", "transient", "durability", "readers", "writers", "invokers", "empty", "near-end-distance",
    ]

    /// Returns the options of a filtered list.
    ///
    /// Most are those of the followed list, so that objects look as they do there. The option `source` names the
    /// followed list and the query; `transient` is true.
    static func makeOptions(
        of base: String, matching query: ListQueryText, on daemon: ListDaemonClient
    ) async throws(DBusError) -> [String: DBusValue] {
        var options = try await daemon.adapter(base).property("Options", as: [String: DBusValue].self)
        options = options.filter { !own.contains($0.key) }
        options["source"] = .string(query.source(of: base))
        options["transient"] = .boolean(true)
        return options
    }
}
