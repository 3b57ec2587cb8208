// SPDX-License-Identifier: Apache-2.0

package import ListKit

/// The name of something in a plugin, `PLUGIN/NAME`: a section controller or a data source.
package struct ControllerName: Sendable, Hashable {
    /// The plugin; `listd` for what is built in.
    package var plugin: String
    /// The name inside of the plugin.
    package var name: String

    /// Reads `PLUGIN/NAME`; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        plugin = String(parts[0])
        name = String(parts[1])
    }

    /// The text itself, if it is such a name.
    ///
    /// - Throws: `invalidArguments`, naming the text.
    package static func checked(_ text: String) throws(ListError) -> String {
        guard ControllerName(text) != nil else {
            throw ListError(option: text, expected: "a name such as PLUGIN/CONTROLLER")
        }
        return text
    }
}
