// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListSupport

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
        if let address = given.values[.worker] {
            return .worker(address: try given.validAddress(address, of: .worker))
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
