// SPDX-License-Identifier: Apache-2.0

/// The names of listd's service and interfaces on a bus (docs/rules/contract.md, "Names"). `ObjectPath` creates the
/// paths.
package enum ObjectNames {
    /// The well-known name that the daemon owns.
    package static let service = "org.listd.Listd1"
    /// The interface of the manager.
    package static let manager = service + ".Manager"
    /// The interface of a list.
    package static let adapter = service + ".Adapter"
    /// The interface of a view.
    package static let view = service + ".View"
    /// The interface of a plugin.
    package static let plugin = service + ".Plugin"
    /// The prefix of listd's own error names.
    package static let errorPrefix = service + ".Error."
    /// The maximum length of an adapter's or a plugin's name in bytes.
    package static let longestName = 255
}
