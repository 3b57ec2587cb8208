// SPDX-License-Identifier: Apache-2.0

/// The names under which listd appears on a bus (docs/rules/contract.md, "Names"); paths are made by `ObjectPath`.
package enum ObjectNames {
    /// The well-known name that the daemon owns.
    package static let service = "org.listd.Listd1"
    /// The manager's interface.
    package static let manager = service + ".Manager"
    /// A list's interface.
    package static let adapter = service + ".Adapter"
    /// A view's interface.
    package static let view = service + ".View"
    /// A plugin's interface.
    package static let plugin = service + ".Plugin"
    /// The prefix of every error name of listd's own.
    package static let errorPrefix = service + ".Error."
    /// The longest name that an adapter or a plugin may have, in bytes.
    package static let longestName = 255
}
