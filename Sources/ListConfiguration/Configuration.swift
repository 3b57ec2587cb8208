// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
internal import ListSupport

/// The content of a configuration directory.
package struct Configuration: Sendable, Equatable {
    /// The section `[Daemon]`.
    package var daemon = DaemonConfiguration()
    /// The section `[Limits]`.
    package var limits = Limits()
    /// The sections `[Plugin NAME]`.
    package var plugins: [String: PluginConfiguration] = [:]
    /// The configured lists by name.
    package var lists: [String: ListConfiguration] = [:]

    /// Creates the configuration of an empty directory.
    package init() {}
}

/// The result of reading a configuration directory.
package struct LoadedConfiguration: Sendable {
    /// The valid settings. A list with an error is omitted.
    package var configuration = Configuration()
    /// The names of all lists that have a file, including faulty ones.
    package var listNames: Set<ExactText> = []
    /// The errors, in the order of files and lines.
    package var faults: [ConfigurationFault] = []
    /// Whether the directory does not exist.
    package var isMissing = false
    /// Whether `listd.conf` or one of its drop-ins has an error, so that access rights may be wrong.
    package var isDaemonFaulty = false
    /// The users and groups that access rules and limits name, in the order of the files, including those in faulty
    /// files.
    package var accounts: [NamedAccount] = []

    /// Creates an empty result.
    package init() {}
}

/// A Unix user or group.
package enum Account: Sendable, Hashable {
    /// A user, by name or number.
    case user(String)
    /// A group, by name.
    case group(String)

    /// Whether the user databases of the system contain it.
    var exists: Bool {
        switch self {
        case .user(let name): UnixGroups.userExists(name)
        case .group(let name): UnixGroups.exists(name)
        }
    }
}

/// A Unix user or group that is named by a key or a section of the configuration.
package struct NamedAccount: Sendable {
    let account: Account
    /// The key or section, as the file has it.
    let key: String
    let place: ConfigurationPlace
}

extension LoadedConfiguration {
    /// A fault for each user and group that the user databases of the system do not contain.
    ///
    /// A rule with such a group admits nobody until the group exists, and limits for such a user bind nobody. The
    /// daemon accepts both, as it may start before a directory service, and logs them as warnings.
    package var unknownAccounts: [ConfigurationFault] {
        accounts.filter { !$0.account.exists }.map { named in
            let what =
                switch named.account {
                case .user(let name): "user \(name.quoted)"
                case .group(let name): "group \(name.quoted)"
                }
            return ConfigurationFault(
                place: named.place, message: "\(named.key): there is no \(what); this has no effect until it exists")
        }
    }
}
