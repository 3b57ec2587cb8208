// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
internal import ListSupport
@_spi(Daemon) internal import PluginAPI

/// The content of a configuration directory.
package struct Configuration: Sendable, Equatable {
    /// Who may create adapters; nil for administrators on the system bus and for everybody elsewhere.
    package var creators: Creators?
    /// The section `[Limits]`.
    package var limits = Limits()
    /// The sections `[Plugin NAME]`.
    package var plugins: [String: PluginConfiguration] = [:]
    /// The configured lists by name.
    package var lists: [String: ListConfiguration] = [:]

    /// Creates the configuration of an empty directory.
    package init() {}

    /// The keys of the section `[Daemon]`.
    static let daemonTable = OptionTable<Configuration>([.init("creators", \.creators, .creators)])
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
    /// The users and groups that access rules and limits name, in the order of the files, including those in faulty
    /// files. The key may also be a section, as the file has it.
    var accounts: [(account: Account, key: String, place: ConfigurationPlace)] = []

    /// Creates an empty result.
    package init() {}
}

/// A Unix user or group.
package enum Account: Sendable, Hashable {
    /// A user, by name or number.
    case user(String)
    /// A group, by name.
    case group(String)

    /// Whether the user databases of the system contain it.
    var exists: Bool {
        switch self {
        case .user(let name): UnixGroups.userExists(name)
        case .group(let name): UnixGroups.exists(name)
        }
    }
}

extension LoadedConfiguration {
    /// A fault for each user and group that the user databases of the system do not contain.
    ///
    /// A rule with such a group admits nobody until the group exists, and limits for such a user bind nobody. The
    /// daemon accepts both, as it may start before a directory service, and logs them as warnings.
    package var unknownAccounts: [ConfigurationFault] {
        accounts.filter { !$0.account.exists }.map { named in
            let what =
                switch named.account {
                case .user(let name): "user \(name.quoted)"
                case .group(let name): "group \(name.quoted)"
                }
            return ConfigurationFault(
                place: named.place, message: "\(named.key): there is no \(what); this has no effect until it exists")
        }
    }
}

/// The configuration of one list, from its file.
package struct ListConfiguration: Sendable {
    /// The name of the adapter, which is the file name without `.list`.
    package let name: String
    /// A description of the list for people.
    package var description = ""
    package var options = AdapterOptions()
    /// The path of the file.
    package let file: String
    private var places: [String: ConfigurationPlace] = [:]

    /// Creates a configuration with default options.
    package init(name: String, file: String) {
        self.name = name
        self.file = file
    }

    /// Returns the place of a key, such as `Source`, or of an object type in `[Sections]`; the whole file if the key
    /// is not set.
    package func place(of key: String, inSection section: String = "List") -> ConfigurationPlace {
        places["\(section) \(key)"] ?? ConfigurationPlace(file: file, line: nil)
    }

    package mutating func recordPlace(of key: String, inSection section: String, at place: ConfigurationPlace) {
        places["\(section) \(key)"] = place
    }
}

extension ListConfiguration: Equatable {
    /// Returns whether both configure the same list, regardless of lines and files.
    package static func == (lhs: ListConfiguration, rhs: ListConfiguration) -> Bool {
        lhs.name == rhs.name && lhs.description == rhs.description && lhs.options == rhs.options
    }
}

/// A line of a configuration file, or the whole file.
package struct ConfigurationPlace: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file.
    package let file: String
    /// The line number, counted from 1; nil for the whole file.
    package let line: Int?

    /// Creates a place.
    package init(file: String, line: Int?) {
        self.file = file
        self.line = line
    }

    /// The place in the form `file:line`, as compilers print it.
    package var description: String { line.map { "\(file):\($0)" } ?? file }
}

/// An error in the configuration.
package struct ConfigurationFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place of the error.
    package let place: ConfigurationPlace
    /// The message, which names the key or section.
    package let message: String

    /// Creates a fault.
    package init(place: ConfigurationPlace, message: String) {
        self.place = place
        self.message = message
    }

    /// The place and the message in one line.
    package var description: String { "\(place): \(message)" }
}

/// The section `[Plugin NAME]` of `listd.conf`.
package struct PluginConfiguration: Sendable, Hashable {
    /// Where the plugin's code runs.
    package var isolation = PluginIsolation.worker
    /// The maximum duration of a callback, after which the worker counts as hanging.
    package var callbackTimeout = Duration.seconds(5)
    /// The memory limit of the worker in bytes.
    package var memoryMax: Int
    /// Whether the worker may use the network in addition to local sockets.
    package var hasNetwork = false
    /// The files and directories that the worker may change.
    package var writablePaths: [WritablePath] = []
    /// The plugin's own keys, with their values as written.
    package var settings: [String: String] = [:]

    /// The default memory limits of shipped plugins that need more than others. The plugin `files` keeps state for
    /// each of up to 1,000,000 entries by default.
    private static let greatMemory = ["files": 4 << 30]

    /// The time limit of a callback that has none: years.
    private static let unlimitedTime = Duration.seconds(10 * 365 * 86400)

    /// Creates the configuration of a plugin without a section.
    package init(of plugin: String) { memoryMax = Self.greatMemory[plugin] ?? 512 << 20 }

    /// Parses the keys of a plugin's section: those of the daemon, and all others for the plugin itself.
    ///
    /// - Throws: `invalidArguments` that names the key, for a key of the daemon with an invalid value.
    package init(_ values: [String: String], of plugin: String) throws(ListError) {
        self.init(of: plugin)
        for (key, text) in values {
            switch key {
            case "Isolation":
                isolation = try Self.parse(text, of: key, expected: "worker or none", PluginIsolation.init)
            case "CallbackTimeout":
                let span = try Self.parse(text, of: key, expected: "a time such as 5s, or 0 for no limit") {
                    TimeSpan.parse($0)
                }
                callbackTimeout = span == .zero ? Self.unlimitedTime : span
            case "MemoryMax":
                memoryMax = Amount.limit(
                    try Self.parse(text, of: key, expected: "a size such as 512M, or 0 for no limit", Amount.bytes))
            case "Network":
                hasNetwork = try Self.parse(text, of: key, expected: "yes or no", Bool.init(configuration:))
            case "WritablePaths":
                writablePaths = try Self.parse(
                    text, of: key, expected: "absolute paths separated by spaces, each optionally after a “-”",
                    WritablePath.list)
            default:
                settings[key] = text
            }
        }
    }

    private static func parse<Value>(
        _ text: String, of key: String, expected: String, _ parse: (String) -> Value?
    ) throws(ListError) -> Value {
        guard let value = parse(text) else {
            throw ListError(.invalidArguments, "\(key)=\(text.quoted): expected \(expected)")
        }
        return value
    }
}

/// Where the code of a plugin runs. The raw value is the contract's word.
package enum PluginIsolation: String, Sendable, Hashable, CaseIterable {
    /// In a separate process, so that a crash affects nothing else.
    case worker
    /// Inside of the daemon, because the administrator trusts the plugin.
    case none
}

/// A path of `WritablePaths`, as in systemd's `ReadWritePaths`.
package struct WritablePath: Sendable, Hashable {
    /// An absolute path.
    package let path: String
    /// Whether the path may be missing, because it was written after a `-`.
    package let isOptional: Bool

    /// Parses paths that are separated by spaces; nil if one of them is not absolute.
    static func list(_ text: String) -> [WritablePath]? {
        var paths: [WritablePath] = []
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let path = word.hasPrefix("-") ? word.dropFirst() : word
            guard path.hasPrefix("/"), !path.split(separator: "/").contains("..") else { return nil }
            paths.append(WritablePath(path: String(path), isOptional: word.hasPrefix("-")))
        }
        return paths
    }
}

/// The syntax of names of plugins, and of what plugins export.
package enum PluginName {
    /// Returns whether a text is a valid name: letters, digits, `-` and `_`, from 1 to 64 bytes.
    package static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
