// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListSupport

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
