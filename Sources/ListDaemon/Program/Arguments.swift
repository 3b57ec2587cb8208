// SPDX-License-Identifier: Apache-2.0

package import DBus
package import ListSupport

/// The mode and options that the command line selects.
///
/// It is made by ``parse(_:environment:executable:isRoot:)``, which applies all defaults. No other code reads the
/// environment for options.
package enum Arguments: Sendable, Equatable {
    /// Run the daemon.
    case run(DaemonOptions)
    /// Run a plugin worker that connects to its daemon at a D-Bus address.
    case worker(address: String)
    /// Read the configuration in a directory, print its mistakes and exit. With `asService`, the files are read with the
    /// rights of the service's user.
    case checkConfiguration(directory: String, asService: Bool = false)
    /// Print the version and exit.
    case version
    /// Print the usage and exit.
    case help
}

/// The options of a daemon.
package struct DaemonOptions: Sendable, Equatable {
    /// The bus on which listd owns its name.
    package var bus: BusAddress
    /// The address or socket on which direct clients are accepted.
    package var direct: DirectListener
    /// The directory with `listd.conf` and the `*.list` files; it need not exist.
    package var configurationDirectory: String
    /// The directory of the store; nil = lists are not stored.
    package var stateDirectory: String?
    /// The directories in which plugins are searched, in this order.
    package var pluginDirectories: [String]
    /// The least important level that is logged.
    package var logLevel: Log.Level
    /// The identifier of the machine's current boot; nil = it is read from the kernel.
    package var bootIdentifier: String?

    /// Makes the options of a daemon; ``Arguments/parse(_:environment:executable:isRoot:)`` makes them from the
    /// command line.
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

/// The place where direct connections are accepted, as `--direct` names it.
package enum DirectListener: Sendable, Equatable {
    /// Direct connections are not accepted.
    case none
    /// A D-Bus address.
    case address(String)
    /// The socket that systemd passes, or this address if systemd passes none.
    case passedSocket(otherwise: String)
}

/// The error for an invalid command line.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The message, which names the argument at fault.
    package let description: String

    /// Makes an error from its message.
    package init(_ description: String) {
        self.description = description
    }
}
