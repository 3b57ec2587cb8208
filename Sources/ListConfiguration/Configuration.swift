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
    /// The groups that access rules name, in the order of the files, including those in faulty files.
    package var groups: [NamedGroup] = []

    /// Creates an empty result.
    package init() {}
}

/// A Unix group that is named by a key of the configuration.
package struct NamedGroup {
    let name: String
    let key: String
    let place: ConfigurationPlace
}

extension LoadedConfiguration {
    /// A fault for each group that the user database of the system does not contain.
    ///
    /// A rule with such a group admits nobody until the group exists. The daemon accepts the rule, as it may start
    /// before a directory service. Only a check of the configuration reports the fault.
    package var unknownGroups: [ConfigurationFault] {
        groups.filter { !UnixGroups.exists($0.name) }.map { group in
            ConfigurationFault(place: group.place, message: "\(group.key): there is no group “\(group.name)”")
        }
    }
}
