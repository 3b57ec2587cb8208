/// Everything that the files of a configuration directory say.
package struct Configuration: Sendable, Equatable {
    /// The section `[Daemon]`.
    package var daemon = DaemonConfiguration()
    /// The section `[Limits]`.
    package var limits = Limits()
    /// The sections `[Plugin NAME]`.
    package var plugins: [String: PluginConfiguration] = [:]
    /// The lists, by name.
    package var lists: [String: ListConfiguration] = [:]

    /// Makes what holds without any file.
    package init() {}

    /// What has to happen so that another configuration holds instead of this one.
    package func changes(to other: Configuration) -> ConfigurationChanges {
        let names = Set(lists.keys).union(other.lists.keys).sorted()
        var changes = ConfigurationChanges()
        for name in names {
            switch (lists[name], other.lists[name]) {
            case (nil, let new?): changes.added.append(new)
            case (let old?, nil): changes.removed.append(old)
            case (let old?, let new?): if old != new { changes.changed.append((old, new)) }
            case (nil, nil): break
            }
        }
        changes.plugins = Set(plugins.keys).union(other.plugins.keys).filter { plugins[$0] != other.plugins[$0] }
        return changes
    }
}

/// How one configuration differs from another; lists are in order of name.
package struct ConfigurationChanges: Sendable {
    /// Lists that are only in the new one.
    package var added: [ListConfiguration] = []
    /// Lists that are only in the old one.
    package var removed: [ListConfiguration] = []
    /// Lists whose description or options differ.
    package var changed: [(old: ListConfiguration, new: ListConfiguration)] = []
    /// Plugins whose sections differ.
    package var plugins: Set<String> = []
}

/// What was read from a configuration directory.
package struct LoadedConfiguration: Sendable {
    /// What could be understood; a list with a fault is not there.
    package var configuration = Configuration()
    /// What could not, in the order of files and lines.
    package var faults: [ConfigurationFault] = []
    /// Whether `listd.conf` or one of its drop-ins has a fault: then who may do what is not known for sure.
    package var isDaemonFaulty = false

    /// Nothing was read.
    package init() {}
}
