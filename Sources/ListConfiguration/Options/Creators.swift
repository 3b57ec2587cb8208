// SPDX-License-Identifier: Apache-2.0

/// A rule about who may create adapters.
package enum Creators: Sendable, Hashable {
    /// Everybody whom the bus admits.
    case any
    /// Only administrators.
    case administrators
    /// The members of a Unix group, and administrators.
    case group(String)

    /// Parses `any`, `administrators` or `group:NAME`; nil for any other text.
    package init?(_ text: String) {
        if text == "administrators" {
            self = .administrators
            return
        }
        switch AccessRule(text) {
        case .any: self = .any
        case .group(let name): self = .group(name)
        case .owner, nil: return nil
        }
    }

    /// Returns whether `caller` may create adapters.
    package func admits(_ caller: Caller) -> Bool {
        switch self {
        case .any: true
        case .administrators: caller.isAdministrator
        case .group(let name): caller.isAdministrator || caller.groups.contains(name)
        }
    }

    /// The rule in the form that `init` parses.
    package var text: String {
        switch self {
        case .any: "any"
        case .administrators: "administrators"
        case .group(let name): "group:" + name
        }
    }
}
