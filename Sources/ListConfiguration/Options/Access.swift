// SPDX-License-Identifier: Apache-2.0

/// Who may read a list, write to it, or invoke actions: the adapter options `readers`, `writers` and `invokers`.
package enum AccessRule: Sendable, Hashable {
    /// Everybody whom the bus lets through.
    case any
    /// The user that created the adapter.
    case owner
    /// The members of a Unix group.
    case group(String)

    /// Reads `any`, `owner` or `group:NAME`; nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "any": self = .any
        case "owner": self = .owner
        default:
            let prefix = "group:"
            guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else { return nil }
            self = .group(String(text.dropFirst(prefix.count)))
        }
    }

    /// The text that the rule was read from.
    package var text: String {
        switch self {
        case .any: "any"
        case .owner: "owner"
        case .group(let name): "group:" + name
        }
    }
}

/// A caller, with the facts that decide about access.
package struct Caller: Sendable, Hashable {
    /// The Unix user id.
    package var user: UInt32
    /// Whether the caller may do everything: uid 0, the daemon's own user, or a grant of polkit.
    package var isAdministrator: Bool
    /// The names of the Unix groups that the caller is a member of.
    package var groups: Set<String>

    /// Names a caller.
    package init(user: UInt32, isAdministrator: Bool = false, groups: Set<String> = []) {
        self.user = user
        self.isAdministrator = isAdministrator
        self.groups = groups
    }
}

/// The access rules of one adapter (docs/rules/contract.md, "Access").
package struct AdapterAccess: Sendable, Hashable {
    /// The Unix user that created the adapter; 0 for configured ones.
    package var owner: UInt32
    /// Who may read.
    package var readers: AccessRule
    /// Who may write.
    package var writers: AccessRule
    /// Who may invoke actions.
    package var invokers: AccessRule
    /// Whether the adapter comes from a configuration file, so that nobody removes it over the bus.
    package var isConfigured: Bool
    /// Whether it was created by an administrator, or is configured: only then a source other than clients may fill it.
    package var mayHaveSource: Bool

    /// Puts the rules of an adapter together.
    package init(
        owner: UInt32, readers: AccessRule = .any, writers: AccessRule = .owner, invokers: AccessRule = .owner,
        isConfigured: Bool = false, mayHaveSource: Bool = false
    ) {
        self.owner = owner
        self.readers = readers
        self.writers = writers
        self.invokers = invokers
        self.isConfigured = isConfigured
        self.mayHaveSource = isConfigured || mayHaveSource
    }

    /// Whether signals and contents are not for everybody.
    package var isRestricted: Bool { readers != .any }

    /// Whether `caller` may read objects and open views.
    package func allowsReading(_ caller: Caller) -> Bool { allows(caller, by: readers) }

    /// Whether `caller` may change the list.
    package func allowsWriting(_ caller: Caller) -> Bool { allows(caller, by: writers) }

    /// Whether `caller` may invoke actions on items.
    package func allowsInvoking(_ caller: Caller) -> Bool { allows(caller, by: invokers) }

    /// Whether `caller` may remove the adapter: its owner and administrators may, unless a file configures it.
    package func allowsRemoving(_ caller: Caller) -> Bool {
        !isConfigured && (caller.isAdministrator || caller.user == owner)
    }

    private func allows(_ caller: Caller, by rule: AccessRule) -> Bool {
        if caller.isAdministrator || caller.user == owner { return true }
        switch rule {
        case .any: return true
        case .owner: return false
        case .group(let name): return caller.groups.contains(name)
        }
    }
}
