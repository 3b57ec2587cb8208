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
    /// Run a plugin worker that is linked to its daemon by the socket with this descriptor.
    case worker(descriptor: Int32)
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

extension Arguments {
    /// Parses a command line.
    ///
    /// An option's value is the next word or follows a `=`; if an option is repeated, the last one counts. `--help`
    /// and `--version` take precedence over all other valid options.
    ///
    /// - Parameters:
    ///   - words: the arguments without the program's name.
    ///   - environment: the environment variables of the process, from which defaults are derived.
    ///   - executable: the absolute path of the running program, from which the default plugin directories are
    ///     derived.
    ///   - isRoot: whether root runs the process; root uses the configuration of the service.
    /// - Throws: an error that names the first invalid word.
    package static func parse(
        _ words: [String], environment: [String: String], executable: String, isRoot: Bool = false
    ) throws(UsageError) -> Arguments {
        let given = try GivenOptions(words)
        if given.flags.contains(.help) { return .help }
        if given.flags.contains(.version) { return .version }
        let defaults = ArgumentDefaults(environment: environment, executable: executable, isRoot: isRoot)
        let level = try given.logLevel() ?? ArgumentDefaults.logLevel
        if given.flags.contains(.checkConfig) {
            if given.values[.worker] != nil { throw UsageError("--worker and --check-config exclude each other") }
            return .checkConfiguration(
                directory: try defaults.configurationDirectory(given: given.values[.config]),
                asService: isRoot && given.values[.config] == nil)
        }
        if let socket = given.values[.worker] {
            guard socket.hasPrefix("fd:"), let number = Int32(socket.dropFirst(3)), number >= 0 else {
                throw UsageError("--worker: “\(socket)” is not a descriptor such as fd:3")
            }
            return .worker(descriptor: number)
        }
        let bus = try given.busAddress() ?? defaults.bus
        return .run(
            DaemonOptions(
                bus: bus,
                direct: try given.directListener() ?? defaults.direct,
                configurationDirectory: try defaults.configurationDirectory(given: given.values[.config]),
                stateDirectory: try given.stateDirectory(defaults, serving: bus),
                pluginDirectories: given.pluginDirectories() ?? defaults.pluginDirectories,
                logLevel: level, bootIdentifier: defaults.bootIdentifier))
    }
}

/// The options of a command line with their values, before defaults are applied.
private struct GivenOptions {
    enum Valued: String {
        case bus, direct, config, state, plugins, worker
        case logLevel = "log-level"
    }

    enum Flag: String {
        case help, version
        case checkConfig = "check-config"
    }

    var values: [Valued: String] = [:]
    var flags: Set<Flag> = []

    init(_ words: [String]) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word != "--" else {
                throw UsageError(
                    word.hasPrefix("-") ? "unknown option \(word)" : "unexpected argument “\(word)”")
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if let flag = Flag(rawValue: name) {
                if parts.count > 1 { throw UsageError("--\(name) takes no value") }
                flags.insert(flag)
            } else if let option = Valued(rawValue: name) {
                guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst(), !value.isEmpty else {
                    throw UsageError("--\(name) needs a value")
                }
                values[option] = value
            } else {
                throw UsageError("unknown option --\(name)")
            }
        }
    }

    func busAddress() throws(UsageError) -> BusAddress? {
        switch values[.bus] {
        case nil: nil
        case "system": .system
        case "session": .session
        case .some(let address): .address(try validAddress(address, of: .bus))
        }
    }

    func directListener() throws(UsageError) -> DirectListener? {
        switch values[.direct] {
        case nil: nil
        case "none": DirectListener.none
        case .some(let address): .address(try validAddress(address, of: .direct))
        }
    }

    func stateDirectory(_ defaults: ArgumentDefaults, serving bus: BusAddress) throws(UsageError) -> String? {
        switch values[.state] {
        case nil: try defaults.stateDirectory(serving: bus)
        case "none": nil
        case .some(let directory): directory
        }
    }

    func pluginDirectories() -> [String]? {
        values[.plugins].map { $0.split(separator: ":").map(String.init) }
    }

    func logLevel() throws(UsageError) -> Log.Level? {
        guard let name = values[.logLevel] else { return nil }
        guard let level = Log.Level(name: name) else {
            let names = Log.Level.allCases.map(\.name).joined(separator: ", ")
            throw UsageError("--log-level: “\(name)” is not one of \(names)")
        }
        return level
    }

    /// Returns the address if it has a transport and a colon; libdbus checks the rest when the address is used.
    func validAddress(_ address: String, of option: Valued) throws(UsageError) -> String {
        guard let colon = address.firstIndex(of: ":"), colon != address.startIndex else {
            throw UsageError(
                "--\(option.rawValue): “\(address)” is not a D-Bus address such as unix:path=/run/bus")
        }
        return address
    }
}

/// The defaults of missing command-line options; they depend on whether systemd runs the process.
struct ArgumentDefaults {
    static let logLevel = Log.Level.info

    let environment: [String: String]
    let executable: String
    let isRoot: Bool

    /// Whether systemd started the process: it sets at least one of these variables for each process
    /// (systemd.exec(5)).
    var isService: Bool { value(of: "NOTIFY_SOCKET") != nil || value(of: "INVOCATION_ID") != nil }

    var bus: BusAddress { isService ? .system : .session }

    var direct: DirectListener {
        guard isService else { return .none }
        let directory = firstDirectory(in: "RUNTIME_DIRECTORY") ?? "/run/listd"
        return .passedSocket(otherwise: "unix:path=\(DBus.BusAddress.escape(directory))/direct.sock")
    }

    func configurationDirectory(given: String?) throws(UsageError) -> String {
        if let given { return given }
        if isService { return firstDirectory(in: "CONFIGURATION_DIRECTORY") ?? Self.systemConfiguration }
        if isRoot { return Self.systemConfiguration }
        return try userDirectory("XDG_CONFIG_HOME", below: ".config", option: "--config") + "/listd"
    }

    /// Returns the directory of the store.
    ///
    /// A user's service does not get it from systemd: before version 254, `StateDirectory=` of a user's unit is
    /// the directory of the configuration.
    ///
    /// - Parameter bus: the bus that listd serves.
    func stateDirectory(serving bus: BusAddress) throws(UsageError) -> String {
        if isService, let directory = firstDirectory(in: "STATE_DIRECTORY") { return directory }
        if isService, bus != .session { return "/var/lib/listd" }
        return try userDirectory("XDG_STATE_HOME", below: ".local/state", option: "--state") + "/listd"
    }

    /// The boot's identifier. The unit passes it (`%b`), because the service cannot read the kernel's files about it.
    var bootIdentifier: String? { value(of: "LISTD_BOOT_ID") }

    /// The directories in which plugins are searched. An installed program uses `PREFIX/lib/listd/plugins`, a program
    /// of the distribution first that of `/usr/local`, and a program in a build directory the folder that `make
    /// plugins` fills.
    var pluginDirectories: [String] {
        var folder = executable.split(separator: "/").dropLast()
        if let build = folder.firstIndex(of: ".build") {
            return ["/" + (folder[..<build] + ["build", "plugins"]).joined(separator: "/")]
        }
        switch folder.last {
        case "bin", "sbin", "libexec":
            folder.removeLast()
        case "listd" where ["libexec", "lib"].contains(folder.dropLast().last):
            folder.removeLast(2)
        default:
            return ["/" + (folder + ["plugins"]).joined(separator: "/")]
        }
        // The package manager owns the directory of a distribution, so an administrator's own plugins are in
        // `/usr/local` and take precedence.
        let prefixes = folder == ["usr"] ? [["usr", "local"], folder] : [folder]
        return prefixes.map { "/" + ($0 + ["lib", "listd", "plugins"]).joined(separator: "/") }
    }

    private static let systemConfiguration = "/etc/listd"

    private func value(of variable: String) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the first directory of a variable. systemd separates the directories of a unit by colons.
    private func firstDirectory(in variable: String) -> String? {
        value(of: variable)?.split(separator: ":").first.map(String.init)
    }

    /// Returns a base directory of the user. A relative path in the variable is ignored, as the XDG base directory
    /// specification requires.
    private func userDirectory(
        _ variable: String, below home: String, option: String
    ) throws(UsageError) -> String {
        if let directory = value(of: variable), directory.hasPrefix("/") { return directory }
        guard let directory = value(of: "HOME"), directory.hasPrefix("/") else {
            throw UsageError("\(option) is required, because neither \(variable) nor HOME names a directory")
        }
        return directory == "/" ? "/\(home)" : "\(directory)/\(home)"
    }
}

extension Arguments {
    /// The text that `--help` prints.
    package static let usage = """
        Usage: listd [--bus system|session|ADDRESS] [--direct ADDRESS|none] [--config DIR] [--state DIR|none]
                     [--plugins DIR[:DIR…]] [--log-level error|warning|notice|info|debug]
               listd --check-config [--config DIR]
               listd --version | --help

        A list engine on D-Bus.

          --bus WHICH        the bus to serve (as a service: system; otherwise: session)
          --direct ADDRESS   where direct clients are accepted (as a service: the socket that systemd passes,
                             else unix:path=$RUNTIME_DIRECTORY/direct.sock; otherwise: none)
          --config DIR       configuration (as a service: $CONFIGURATION_DIRECTORY or /etc/listd;
                             otherwise: /etc/listd as root, else $XDG_CONFIG_HOME/listd)
          --state DIR        where lists are kept (as a service: $STATE_DIRECTORY or /var/lib/listd;
                             otherwise: $XDG_STATE_HOME/listd); none keeps nothing
          --plugins DIRS     where plugins are searched, in this order (/usr/local/lib/listd/plugins and /usr/lib/listd/plugins;
                             installed elsewhere: PREFIX/lib/listd/plugins; a built listd: its build/plugins)
          --log-level LEVEL  the least important messages to write (info)
          --check-config     read the configuration, print what is wrong, exit 1 if anything is
          --worker fd:NUMBER internal: run as a plugin worker for the daemon at that socket

        Exit codes: 0 done, 1 configuration, 64 usage, 69 no bus or name taken, 74 store.
        """
}
