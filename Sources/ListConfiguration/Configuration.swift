// SPDX-License-Identifier: Apache-2.0

package import ListKit
internal import ListSupport

/// The content of a configuration directory.
package struct Configuration: Sendable, Equatable {
    /// The section `[Daemon]`.
    package var daemon = DaemonConfiguration()
    /// The section `[Limits]`.
    package var limits = Limits()
    /// The sections `[Plugin NAME]`.
    package var plugins: [String: PluginConfiguration] = [:]
    /// The lists, by name.
    package var lists: [String: ListConfiguration] = [:]

    /// Makes the configuration without any file.
    package init() {}
}

/// What was read from a configuration directory.
package struct LoadedConfiguration: Sendable {
    /// The valid settings; a list with an error is not among them.
    package var configuration = Configuration()
    /// The names of all lists that have a file, those with a fault too.
    package var listNames: Set<ExactText> = []
    /// The errors, in the order of files and lines.
    package var faults: [ConfigurationFault] = []
    /// Whether there is no such directory, so that it has no files.
    package var isMissing = false
    /// Whether `listd.conf` or one of its drop-ins has an error, so that access rights are not certain.
    package var isDaemonFaulty = false
    /// The groups that rules of access name, in the order of files; in those with a fault, too.
    package var groups: [NamedGroup] = []

    /// Nothing was read.
    package init() {}
}

/// A Unix group that a key of the configuration names.
package struct NamedGroup {
    let name: String
    let key: String
    let place: ConfigurationPlace
}

extension LoadedConfiguration {
    /// A fault for each group that the system's databases do not have.
    ///
    /// Such a rule admits no one until the group exists: the daemon accepts it, as it may start before a directory
    /// service. A check of the configuration reports it.
    package var unknownGroups: [ConfigurationFault] {
        groups.filter { !UnixGroups.exists($0.name) }.map { group in
            ConfigurationFault(place: group.place, message: "\(group.key): there is no group “\(group.name)”")
        }
    }
}
