// SPDX-License-Identifier: Apache-2.0

internal import CInih
internal import DBus
internal import Glibc
@_spi(Daemon) internal import ListKit
internal import ListSupport
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
        if case .group(let name) = result.configuration.creators {
            result.accounts.append((.group(name), "Creators", creatorsPlace))
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
            try Configuration.daemonTable.parse(key: setting.key, value: setting.value, into: &result.configuration)
        case "Limits":
            try Limits.table.parse(key: setting.key, value: setting.value, into: &result.configuration.limits)
        case let section where section.hasPrefix("Limits "):
            let subject = String(section.dropFirst("Limits ".count))
            let account = try result.configuration.limits.ofUsers.parse(
                subject, key: setting.key, value: setting.value)
            // A section is reported once, at its first line.
            if !result.accounts.contains(where: { $0.account == account && $0.key == "[\(setting.section)]" }) {
                result.accounts.append((account, "[\(setting.section)]", place))
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
            result.accounts.append((.group(name), key, list.place(of: key)))
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

/// A configuration directory, from which files are read.
struct ConfigurationDirectory {
    /// The maximum size of a file in bytes, far above that of a file written by hand.
    private static let largestFile = 1 << 20

    let path: String

    /// Returns the place of a file, for error messages.
    func place(ofFile name: String) -> ConfigurationPlace { ConfigurationPlace(file: "\(path)/\(name)", line: nil) }

    /// Returns the visible file names, sorted; nil if the directory does not exist. In a name that is not UTF-8,
    /// U+FFFD replaces the invalid bytes, so a file with the returned name does not exist.
    func fileNames() throws(ConfigurationFault) -> [String]? { try Self.names(in: path) }

    /// Returns the drop-ins of a file, sorted, as paths relative to this directory.
    func dropIns(of file: String) throws(ConfigurationFault) -> [String] {
        let folder = file + ".d"
        let names = try Self.names(in: "\(path)/\(folder)") ?? []
        return names.filter { $0.hasSuffix(".conf") }.map { "\(folder)/\($0)" }
    }

    /// Reads a file.
    func read(_ name: String) throws(ConfigurationFault) -> [UInt8] {
        let place = place(ofFile: name)
        // Non-blocking, as the file may be a pipe.
        let number = unsafe open(place.file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else {
            guard errno == ENOENT, name.unicodeScalars.contains("\u{FFFD}") else {
                throw Self.unreadableFault(place.file, errno: errno)
            }
            throw ConfigurationFault(place: place, message: "the file name is not UTF-8")
        }
        let file = FileDescriptor(adopting: number)
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ConfigurationFault(place: place, message: "the file is not a regular file")
        }
        var bytes = [UInt8](repeating: 0, count: Self.largestFile + 1)
        var count = 0
        while count < bytes.count {
            let received = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(file.rawValue, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if received < 0 && errno == EINTR { continue }
            guard received >= 0 else { throw Self.unreadableFault(place.file, errno: errno) }
            if received == 0 { return Array(bytes.prefix(count)) }
            count += received
        }
        throw ConfigurationFault(place: place, message: "the file is larger than \(Self.largestFile) bytes")
    }

    private static func names(in path: String) throws(ConfigurationFault) -> [String]? {
        guard let directory = unsafe opendir(path) else {
            if errno == ENOENT { return nil }
            throw unreadableFault(path, errno: errno, mode: "755")
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // The name is terminated by a NUL inside of the entry.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns the report of a file that cannot be read.
    ///
    /// - Parameter mode: the mode with which everybody could read it.
    private static func unreadableFault(
        _ path: String, errno number: Int32, mode: String = "644"
    ) -> ConfigurationFault {
        var message = "cannot be read: \(SystemError.text(number))"
        if number == EACCES {
            let user = UnixGroups.name(ofUser: geteuid()) ?? String(geteuid())
            message += "; listd reads it as user \(user): run chmod \(mode) \(path)"
        }
        return ConfigurationFault(place: ConfigurationPlace(file: path, line: nil), message: message)
    }
}

/// The settings of an INI file, in the order of the file.
///
/// The file is parsed by inih: `[Section]`, `Key=value` (or `Key: value`), and comments that begin with `#` or `;` at
/// the start of a line. Spaces around keys and values are ignored.
struct INIFile {
    /// A line of the form `Key=value`.
    struct Setting: Equatable {
        var section: String
        var key: String
        var value: String
        /// The line number, counted from 1.
        var line: Int
    }

    /// The valid lines.
    private(set) var settings: [Setting] = []
    /// The invalid lines, each with its error.
    private(set) var faults: [(line: Int, message: String)] = []

    /// Parses the bytes of a file. All errors and all valid lines are kept.
    init(parsing bytes: [UInt8]) {
        var parse = Parse(bytes: bytes)
        let firstFault = unsafe withUnsafeMutablePointer(to: &parse) { pointer in
            // inih uses the pointer only during this call and on this thread, and nobody else has it.
            unsafe listd_ini_parse(Parse.nextLine, pointer, Parse.handle, pointer)
        }
        if firstFault > 0, !parse.faults.contains(where: { $0.line == Int(firstFault) }) {
            parse.faults.append((Int(firstFault), "the line is neither [Section] nor Key=value"))
        } else if firstFault < 0 {
            parse.faults.append((0, "there is not enough memory"))
        }
        settings = parse.settings
        faults = parse.faults.sorted { $0.line < $1.line }
    }
}

/// The state that inih's callbacks share during parsing.
private struct Parse {
    let bytes: [UInt8]
    var position = 0
    var line = 0
    var settings: [INIFile.Setting] = []
    var faults: [(line: Int, message: String)] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Passes the next line to inih, like `fgets`. A line that inih could not parse is passed as an empty line and
    /// recorded as an error.
    static let nextLine: ini_reader = { buffer, size, stream in
        guard let buffer = unsafe buffer, let parse = unsafe stream?.assumingMemoryBound(to: Parse.self) else {
            return nil
        }
        return unsafe parse.pointee.copyNextLine(to: buffer, size: Int(size)) ? buffer : nil
    }

    static let handle: ini_handler = { user, section, name, value in
        guard let parse = unsafe user?.assumingMemoryBound(to: Parse.self), let section = unsafe section,
            let name = unsafe name
        else { return 0 }
        unsafe parse.pointee.add(
            section: String(cString: section), key: String(cString: name),
            value: value.map { unsafe String(cString: $0) })
        return 1
    }

    /// Copies the next line and a NUL into the buffer; returns `false` if no line is left.
    private mutating func copyNextLine(to buffer: UnsafeMutablePointer<CChar>, size: Int) -> Bool {
        guard position < bytes.count, size > 1 else { return false }
        line += 1
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        var text = bytes[position..<end]
        position = min(end + 1, bytes.count)
        if text.count > size - 2 {
            faults.append((line, "the line is longer than \(size - 2) bytes"))
            text = []
        } else if text.contains(0) || String(validating: text, as: UTF8.self) == nil {
            faults.append((line, "the line is not UTF-8 text"))
            text = []
        }
        for (offset, byte) in text.enumerated() { unsafe buffer[offset] = CChar(bitPattern: byte) }
        unsafe buffer[text.count] = CChar(bitPattern: UInt8(ascii: "\n"))
        unsafe buffer[text.count + 1] = 0
        return true
    }

    private mutating func add(section: String, key: String, value: String?) {
        if section.isEmpty {
            faults.append((line, "the key \(key) precedes the first [Section]"))
        } else if section.utf8.count >= Int(listd_ini_section_length) {
            faults.append((line, "the section name [\(section)…] is longer than \(listd_ini_section_length - 1) bytes"))
        } else if let value {
            settings.append(INIFile.Setting(section: section, key: key, value: value, line: line))
        } else {
            faults.append((line, "\(key) has no value; the line is neither [Section] nor Key=value"))
        }
    }
}
