// SPDX-License-Identifier: Apache-2.0

/// A rule about who may read a list, write to it, or invoke actions: the adapter options `readers`, `writers` and
/// `invokers`.
package enum AccessRule: Sendable, Hashable {
    /// Everybody whom the bus admits.
    case any
    /// The user that created the adapter.
    case owner
    /// The members of a Unix group.
    case group(String)

    /// Parses `any`, `owner` or `group:NAME`; nil for any other text.
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

    /// The rule in the form that `init` parses.
    package var text: String {
        switch self {
        case .any: "any"
        case .owner: "owner"
        case .group(let name): "group:" + name
        }
    }
}

/// A caller, with the facts on which access depends.
package struct Caller: Sendable, Hashable {
    /// The Unix user id.
    package var user: UInt32
    /// Whether the caller has all rights: uid 0, the daemon's own user, or an authorization by polkit.
    package var isAdministrator: Bool
    /// The names of the Unix groups that the caller is a member of.
    package var groups: Set<String>

    /// Creates a caller.
    package init(user: UInt32, isAdministrator: Bool = false, groups: Set<String> = []) {
        self.user = user
        self.isAdministrator = isAdministrator
        self.groups = groups
    }
}

/// The access rules of one adapter (docs/rules/contract.md, "Access").
package struct AdapterAccess: Sendable, Hashable {
    /// The Unix user that created the adapter; 0 for a configured adapter.
    package var owner: UInt32
    /// Who may read the list.
    package var readers: AccessRule
    /// Who may write to the list.
    package var writers: AccessRule
    /// Who may invoke actions on items.
    package var invokers: AccessRule
    /// Whether the adapter comes from a configuration file, so that it cannot be removed over the bus.
    package var isConfigured: Bool
    /// Whether an administrator or a file created the adapter. Only then may it have a source other than clients.
    package var mayHaveSource: Bool

    /// Creates the access rules of an adapter.
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

    /// Whether signals and contents are hidden from some users.
    package var isRestricted: Bool { readers != .any }

    /// Returns whether `caller` may read objects and open views.
    package func allowsReading(_ caller: Caller) -> Bool { allows(caller, by: readers) }

    /// Returns whether `caller` may change the list.
    package func allowsWriting(_ caller: Caller) -> Bool { allows(caller, by: writers) }

    /// Returns whether `caller` may invoke actions on items.
    package func allowsInvoking(_ caller: Caller) -> Bool { allows(caller, by: invokers) }

    /// Returns whether `caller` may remove the adapter. Its owner and administrators may, unless a file configures
    /// it.
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
