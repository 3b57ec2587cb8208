// SPDX-License-Identifier: Apache-2.0

/// Who may create adapters.
package enum Creators: Sendable, Hashable {
    /// Everybody whom the bus lets through.
    case any
    /// Administrators.
    case administrators
    /// The members of a Unix group, and administrators.
    case group(String)

    /// Reads `any`, `administrators` or `group:NAME`; nil for anything else.
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

    /// The text that is read as this.
    package var text: String {
        switch self {
        case .any: "any"
        case .administrators: "administrators"
        case .group(let name): "group:" + name
        }
    }
}
