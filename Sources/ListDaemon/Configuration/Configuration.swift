package import ListKit

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
}

/// What was read from a configuration directory.
package struct LoadedConfiguration: Sendable {
    /// What could be understood; a list with a fault is not there.
    package var configuration = Configuration()
    /// The names of all lists that have a file, those with a fault too.
    package var listNames: Set<ExactText> = []
    /// What could not, in the order of files and lines.
    package var faults: [ConfigurationFault] = []
    /// Whether `listd.conf` or one of its drop-ins has a fault: then who may do what is not known for sure.
    package var isDaemonFaulty = false

    /// Nothing was read.
    package init() {}
}
