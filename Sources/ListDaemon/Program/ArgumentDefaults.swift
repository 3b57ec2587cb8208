// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListSupport

/// The defaults of options that are not given; they depend on whether systemd runs the process.
struct ArgumentDefaults {
    static let logLevel = Log.Level.info

    let environment: [String: String]
    let executable: String
    let isRoot: Bool

    /// systemd sets one of these for everything it starts (systemd.exec(5)).
    var isService: Bool { value("NOTIFY_SOCKET") != nil || value("INVOCATION_ID") != nil }

    var bus: BusAddress { isService ? .system : .session }

    var direct: DirectListener {
        guard isService else { return .none }
        let directory = firstDirectory("RUNTIME_DIRECTORY") ?? "/run/listd"
        return .passedSocket(otherwise: "unix:path=\(DBus.BusAddress.escape(directory))/direct.sock")
    }

    func configurationDirectory(given: String?) throws(UsageError) -> String {
        if let given { return given }
        if isService { return firstDirectory("CONFIGURATION_DIRECTORY") ?? Self.systemConfiguration }
        if isRoot { return Self.systemConfiguration }
        return try userDirectory("XDG_CONFIG_HOME", below: ".config", option: "--config") + "/listd"
    }

    func stateDirectory() throws(UsageError) -> String {
        if isService { return firstDirectory("STATE_DIRECTORY") ?? "/var/lib/listd" }
        return try userDirectory("XDG_STATE_HOME", below: ".local/state", option: "--state") + "/listd"
    }

    /// The unit passes the boot's identifier (`%b`), because the service cannot see the kernel's files about it.
    var bootIdentifier: String? { value("LISTD_BOOT_ID") }

    /// `PREFIX/lib/listd/plugins` for an installed program, after that of `/usr/local` for one of the distribution's; for a built
    /// one, where `make plugins` puts them.
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
        // The package manager owns the directory of a distribution: an administrator's own plugins lie beside it, and
        // come first.
        let prefixes = folder == ["usr"] ? [["usr", "local"], folder] : [folder]
        return prefixes.map { "/" + ($0 + ["lib", "listd", "plugins"]).joined(separator: "/") }
    }

    private static let systemConfiguration = "/etc/listd"

    private func value(_ variable: String) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// systemd separates the directories of a unit that has several by colons; the first is ours.
    private func firstDirectory(_ variable: String) -> String? {
        value(variable)?.split(separator: ":").first.map(String.init)
    }

    /// The XDG base directory specification: a relative path in the variable is to be ignored.
    private func userDirectory(
        _ variable: String, below home: String, option: String
    ) throws(UsageError) -> String {
        if let directory = value(variable), directory.hasPrefix("/") { return directory }
        guard let directory = value("HOME"), directory.hasPrefix("/") else {
            throw UsageError("\(option) is needed, as neither \(variable) nor HOME names a directory")
        }
        return directory == "/" ? "/\(home)" : "\(directory)/\(home)"
    }
}
