// SPDX-License-Identifier: Apache-2.0

package import DBus
package import ListSupport

/// What the command line asks for.
///
/// Made by ``parse(_:environment:executable:)``, which applies every default, so that nobody after it looks at the
/// environment again.
package enum Arguments: Sendable, Equatable {
    /// Be the daemon.
    case run(DaemonOptions)
    /// Be a plugin worker that dials its daemon at a D-Bus address.
    case worker(address: String)
    /// Read the configuration in a directory, print what is wrong with it, and leave.
    case checkConfiguration(directory: String)
    /// Print the version and leave.
    case version
    /// Print the usage and leave.
    case help
}

/// How a daemon is to run.
package struct DaemonOptions: Sendable, Equatable {
    /// The bus on which the name is owned.
    package var bus: BusAddress
    /// Where direct clients are accepted.
    package var direct: DirectListener
    /// The directory with `listd.conf` and the `*.list` files; it need not exist.
    package var configurationDirectory: String
    /// The directory of the store; nil keeps nothing.
    package var stateDirectory: String?
    /// Where plugins are looked for, in this order.
    package var pluginDirectories: [String]
    /// The least important messages that are written.
    package var logLevel: Log.Level
    /// What tells this boot of the machine from others; nil = the kernel says it.
    package var bootIdentifier: String?

    /// Makes the options of a daemon; the command line's are made by ``Arguments/parse(_:environment:executable:)``.
    package init(
        bus: BusAddress, direct: DirectListener, configurationDirectory: String, stateDirectory: String?,
        pluginDirectories: [String], logLevel: Log.Level, bootIdentifier: String? = nil
    ) {
        self.bus = bus
        self.direct = direct
        self.configurationDirectory = configurationDirectory
        self.stateDirectory = stateDirectory
        self.pluginDirectories = pluginDirectories
        self.logLevel = logLevel
        self.bootIdentifier = bootIdentifier
    }
}

/// Where direct connections are accepted, as `--direct` names it.
package enum DirectListener: Sendable, Equatable {
    /// Nowhere.
    case none
    /// At a D-Bus address.
    case address(String)
    /// On the socket that systemd passes, or at this address if it passes none.
    case passedSocket(otherwise: String)
}

/// A command line that cannot be understood.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, naming the argument at fault.
    package let description: String

    /// Makes an error from its message.
    package init(_ description: String) {
        self.description = description
    }
}
