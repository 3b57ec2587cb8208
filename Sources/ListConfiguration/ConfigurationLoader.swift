// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import PluginAPI

/// Loads a configuration directory: `listd.conf` and the `*.list` files, each with its drop-ins `FILE.d/*.conf`.
///
/// Drop-ins are read after their file, sorted by name, and override it. The drop-ins of `listd.conf` are read even if
/// this file does not exist. Hidden files and files with other names are ignored.
package struct ConfigurationLoader {
    private let directory: ConfigurationDirectory
    private var result = LoadedConfiguration()

    /// Loads all files. A directory that does not exist is treated as empty.
    package static func load(_ path: String) -> LoadedConfiguration {
        var loader = ConfigurationLoader(directory: ConfigurationDirectory(path: path))
        loader.load()
        return loader.result
    }

    private init(directory: ConfigurationDirectory) { self.directory = directory }

    private mutating func load() {
        let names: [String]
        do throws(ConfigurationFault) {
            guard let found = try directory.fileNames() else {
                result.isMissing = true
                return
            }
            names = found
        } catch {
            result.faults.append(error)
            result.isDaemonFaulty = true
            return
        }
        loadDaemonConfiguration(fileNames: names)
        for name in names where name.hasSuffix(".list") { loadList(name) }
        for name in names where name.hasSuffix(".list.d") {
            guard !names.contains(String(name.dropLast(2))) else { continue }
            addFault("there are drop-ins, but no file \(name.dropLast(2))", at: directory.place(ofFile: name))
        }
    }

    private mutating func addFault(_ message: String, at place: ConfigurationPlace) {
        result.faults.append(ConfigurationFault(place: place, message: message))
    }

    // MARK: - listd.conf

    private static let daemonFile = "listd.conf"

    private mutating func loadDaemonConfiguration(fileNames names: [String]) {
        let before = result.faults.count
        var plugins: [String: [String: String]] = [:]
        var creatorsPlace = directory.place(ofFile: Self.daemonFile)
        for (place, setting) in readSettings(of: Self.daemonFile, fileExists: names.contains(Self.daemonFile)) {
            do throws(ListError) {
                try apply(setting, at: place, plugins: &plugins)
                if setting.section == "Daemon", setting.key == "Creators" { creatorsPlace = place }
            } catch {
                addFault(error.message, at: place)
            }
        }
        if case .group(let name) = result.configuration.daemon.creators {
            result.accounts.append(NamedAccount(account: .group(name), key: "Creators", place: creatorsPlace))
        }
        for (name, values) in plugins {
            result.configuration.plugins[name] = try? PluginConfiguration(values, of: name)
        }
        result.isDaemonFaulty = result.faults.count > before
    }

    private mutating func apply(
        _ setting: INIFile.Setting, at place: ConfigurationPlace, plugins: inout [String: [String: String]]
    ) throws(ListError) {
        switch setting.section {
        case "Daemon":
            try DaemonConfiguration.table.parse(
                key: setting.key, value: setting.value, into: &result.configuration.daemon)
        case "Limits":
            try Limits.table.parse(key: setting.key, value: setting.value, into: &result.configuration.limits)
        case let section where section.hasPrefix("Limits "):
            let subject = String(section.dropFirst("Limits ".count))
            let account = try result.configuration.limits.ofUsers.parse(
                subject, key: setting.key, value: setting.value)
            // A section is reported once, at its first line.
            if !result.accounts.contains(where: { $0.account == account && $0.key == "[\(setting.section)]" }) {
                result.accounts.append(NamedAccount(account: account, key: "[\(setting.section)]", place: place))
            }
        case let section where section.hasPrefix("Plugin "):
            let name = String(section.dropFirst("Plugin ".count))
            guard PluginName.isValid(name) else {
                throw ListError(invalidValue: name, expected: "the name of a plugin")
            }
            _ = try PluginConfiguration([setting.key: setting.value], of: name)
            plugins[name, default: [:]][setting.key] = setting.value
        default:
            throw Self.unknownSectionError(
                setting, sections: "[Daemon], [Limits], [Limits user:NAME], [Limits group:NAME] and [Plugin NAME]")
        }
    }

    private static func unknownSectionError(_ setting: INIFile.Setting, sections: String) -> ListError {
        ListError(.invalidArguments, "unknown section \("[\(setting.section)]".quoted); the sections are \(sections)")
    }

    // MARK: - Lists

    private mutating func loadList(_ file: String) {
        let before = result.faults.count
        let name = String(file.dropLast(".list".count))
        result.listNames.insert(ExactText(name))
        var list = ListConfiguration(name: name, file: directory.place(ofFile: file).file)
        var controllers: [String: String] = [:]
        for (place, setting) in readSettings(of: file) {
            do throws(ListError) {
                try Self.apply(setting, to: &list, controllers: &controllers)
                list.recordPlace(of: setting.key, inSection: setting.section, at: place)
            } catch {
                addFault(error.message, at: place)
            }
        }
        if !controllers.isEmpty { list.options.sectionControllers = controllers }
        if name.isEmpty { addFault("a list has no name; its file is NAME.list", at: directory.place(ofFile: file)) }
        if let other = result.configuration.lists[name] {
            addFault(
                "\(other.name.quoted) is another list whose name looks the same", at: directory.place(ofFile: file))
        }
        for (key, rule) in [
            ("Readers", list.options.readers), ("Writers", list.options.writers), ("Invokers", list.options.invokers),
        ] {
            guard case .group(let name) = rule else { continue }
            result.accounts.append(NamedAccount(account: .group(name), key: key, place: list.place(of: key)))
        }
        if result.faults.count == before { result.configuration.lists[name] = list }
    }

    private static func apply(
        _ setting: INIFile.Setting, to list: inout ListConfiguration, controllers: inout [String: String]
    ) throws(ListError) {
        switch setting.section {
        case "List" where setting.key == "Description":
            list.description = setting.value
        case "List" where setting.key == "Transient":
            throw ListError(
                .invalidArguments,
                "Transient: only a list that a client created can be removed when its connection ends")
        case "List":
            try AdapterOptions.table.parse(key: setting.key, value: setting.value, into: &list.options)
        case "Sections":
            controllers[setting.key] = try ControllerName.validated(setting.value)
        case "Hints":
            list.options.hints[setting.key] = try FieldHint(setting.value, of: setting.key)
        default: throw unknownSectionError(setting, sections: "[List], [Sections] and [Hints]")
        }
    }

    // MARK: - Files

    /// Reads the settings of a file and its drop-ins, in the order in which they apply. Errors are added to the
    /// faults.
    ///
    /// - Parameter fileExists: whether the file itself exists; if it does not, only its drop-ins are read.
    private mutating func readSettings(
        of file: String, fileExists: Bool = true
    ) -> [(ConfigurationPlace, INIFile.Setting)] {
        var settings: [(ConfigurationPlace, INIFile.Setting)] = []
        do throws(ConfigurationFault) {
            for name in (fileExists ? [file] : []) + (try directory.dropIns(of: file)) {
                do throws(ConfigurationFault) {
                    settings += extractSettings(
                        from: INIFile(parsing: try directory.read(name)), path: directory.place(ofFile: name).file)
                } catch {
                    result.faults.append(error)
                }
            }
        } catch {
            result.faults.append(error)
        }
        return settings
    }

    /// Returns the settings of a parsed file with their places. The file's errors are added to the faults.
    private mutating func extractSettings(
        from file: INIFile, path: String
    ) -> [(ConfigurationPlace, INIFile.Setting)] {
        for (line, message) in file.faults { addFault(message, at: ConfigurationPlace(file: path, line: line)) }
        var lines: [String: Int] = [:]
        var settings: [(ConfigurationPlace, INIFile.Setting)] = []
        for setting in file.settings {
            let place = ConfigurationPlace(file: path, line: setting.line)
            if let first = lines.updateValue(setting.line, forKey: "\(setting.section) \(setting.key)") {
                addFault("\(setting.key) is given twice; first in line \(first)", at: place)
            }
            settings.append((place, setting))
        }
        return settings
    }
}
