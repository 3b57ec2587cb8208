// SPDX-License-Identifier: Apache-2.0

package import ListKit

/// The name of a section controller or data source of a plugin, `PLUGIN/NAME`.
package struct ControllerName: Sendable, Hashable {
    /// The name of the plugin; `listd` for built-in section controllers.
    package var plugin: String
    /// The name inside of the plugin.
    package var name: String

    /// Parses `PLUGIN/NAME`; nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        plugin = String(parts[0])
        name = String(parts[1])
    }

    /// Returns the text if it is a valid name.
    ///
    /// - Throws: `invalidArguments` that quotes the text.
    package static func validated(_ text: String) throws(ListError) -> String {
        guard ControllerName(text) != nil else {
            throw ListError(invalidValue: text, expected: "a name such as PLUGIN/CONTROLLER")
        }
        return text
    }
}
