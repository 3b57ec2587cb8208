// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
package import ListConfiguration
package import ListKit
package import ListSupport
@_spi(Daemon) package import PluginAPI

/// A plugin's library that is loaded into this process.
///
/// The library is never closed, since Swift's runtime keeps pointers to the metadata in it.
package struct PluginLibrary: Sendable {
    /// The file it was loaded from.
    package let file: PluginFile
    /// The versions that it was built with.
    package let record: PluginRecord
    private let entry: PluginEntry

    /// Loads a library and checks the versions that it was built with, before any of its Swift types is used.
    ///
    /// - Throws: `pluginRefused` with the error of the dynamic loader; or because the library has no entry point, or
    ///   was built with other versions.
    package init(_ file: PluginFile, daemon: PluginRecord = .current) throws(ListError) {
        entry = try Self.load(file)
        guard let record = entry.record else {
            throw ListError(
                .pluginRefused,
                "\(file.path.shortenedPath): \(PluginEntry.symbolName) did not return the record of a plugin")
        }
        try record.check(against: daemon, file: file.path)
        self.file = file
        self.record = record
    }

    private static func load(_ file: PluginFile) throws(ListError) -> PluginEntry {
        // RTLD_NOW: a missing symbol is reported here, not during a callback. The handle is never closed.
        //
        // The main queue loads the plugin, because the plugin can be the first user of Foundation. Foundation initialises
        // libdispatch again (`__CFInitialize` calls `libdispatch_init`), which makes the loading thread the owner of the
        // main queue. On another queue, that ownership would never end, and no job of the main actor would run any more,
        // such as the job that ends the daemon.
        let (handle, reason) = unsafe DispatchQueue.main.sync {
            let handle = unsafe dlopen(file.path, RTLD_NOW | RTLD_LOCAL)
            return unsafe (handle, handle == nil ? dlerror().map { unsafe String(cString: $0) } : nil)
        }
        guard let handle = unsafe handle else {
            throw ListError(.pluginRefused, "\(file.path.shortenedPath) cannot be loaded", cause: reason)
        }
        guard let symbol = unsafe dlsym(handle, PluginEntry.symbolName) else {
            throw ListError(
                .pluginRefused,
                "\(file.path.shortenedPath) exports no \(PluginEntry.symbolName) (is “@c” missing?); a plugin needs the line "
                    + "“@c public func \(PluginEntry.symbolName)(_ call: PluginCall) "
                    + "{ exportPlugin(NAME.self, to: call) }”")
        }
        return unsafe PluginEntry(symbol: symbol)
    }

    /// Returns the plugin's manifest. This runs the plugin's Swift code for the first time.
    ///
    /// - Throws: `pluginRefused` when the plugin throws, or when its manifest is invalid.
    package func manifest(for host: PluginHost) throws(ListError) -> PluginManifest {
        guard let plugin = entry.plugin else {
            throw ListError(.pluginRefused, "\(file.path.shortenedPath) exports no plugin")
        }
        let manifest: PluginManifest
        do { manifest = try plugin.manifest(for: host) } catch {
            // The administrator has to correct a setting that the plugin does not accept.
            let what =
                error is PluginSettingError
                ? "refuses its settings ([Plugin \(file.pluginName)] in listd.conf)" : "refuses to start"
            throw ListError(.pluginRefused, "\(file.path.shortenedPath): the plugin \(what)", cause: "\(error)")
        }
        try manifest.check(file: file)
        return manifest
    }
}

/// The state of a plugin; the raw values are those of the property `State` on the bus.
package enum PluginState: String, Sendable, Hashable, CaseIterable {
    /// Its library is being loaded.
    case loading
    /// The plugin is loaded.
    case ready
    /// Its worker died and is being restarted.
    case restarting
    /// Its worker died too often, or the plugin refused to start; `LoadPlugin` tries again.
    case failed
}

/// The properties of a plugin that was loaded, or is being loaded (the interface `org.listd.Listd1.Plugin`).
package struct LoadedPlugin: Sendable, Hashable {
    /// The plugin's name.
    package let name: String
    /// The plugin's own version, for people.
    package var version: String
    /// The canonical path of its library.
    package var file: String
    /// The version of the plugin API that the plugin was built for: major × 65536 + minor.
    package var apiVersion: UInt32
    /// The names of its section controllers, without the prefix `PLUGIN/`.
    package var sectionControllers: [String]
    /// The names of its data sources, without the prefix `PLUGIN/`.
    package var dataSources: [String]
    /// The hints for fields, by the name of the data source and of the field.
    package var hints: [String: [String: FieldHint]] = [:]
    /// Whether its code runs in a worker or in this process.
    package var isolation: PluginIsolation
    /// The state of the plugin.
    package var state: PluginState
    /// The last error; empty if there was none.
    package private(set) var lastError = ""
    /// The id of the process in which its code runs; 0 = none.
    package var processID: UInt32
    /// How often its worker was restarted.
    package var restartCount: UInt32 = 0

    /// Sets the last error; empty = none.
    mutating func setLastError(_ reason: String) { lastError = reason }
}

extension PluginManifest {
    /// The hints for fields, by the name of the data source and of the field; without data sources that have none.
    package var hints: [String: [String: FieldHint]] {
        Dictionary(dataSources.map { ($0.name, $0.hints) }) { first, _ in first }.filter { !$0.value.isEmpty }
    }

    /// Checks the names in the manifest. The plugin's name must be valid and match its file. The names of section
    /// controllers and of data sources must be valid and unique.
    ///
    /// - Throws: `pluginRefused`.
    package func check(file: PluginFile) throws(ListError) {
        guard PluginName.isValid(name), name == file.pluginName else {
            throw ListError(
                .pluginRefused,
                "\(file.path.shortenedPath): the plugin is named \(name.quoted) in its manifest, but \(file.pluginName.quoted) in "
                    + "the file name")
        }
        try checkNames(sectionControllers.map(\.name), what: "section controller", file: file)
        try checkNames(dataSources.map(\.name), what: "data source", file: file)
    }

    private func checkNames(_ names: [String], what: String, file: PluginFile) throws(ListError) {
        var seen: Set<String> = []
        for name in names {
            guard PluginName.isValid(name) else {
                throw ListError(
                    .pluginRefused, "\(file.path.shortenedPath): \(name.quoted) cannot be the name of a \(what)")
            }
            guard seen.insert(name).inserted else {
                throw ListError(.pluginRefused, "\(file.path.shortenedPath): two \(what)s are called \(name.quoted)")
            }
        }
    }
}

extension PluginLogger {
    /// The longest message, in bytes of UTF-8.
    static let greatestLength = 2048

    /// Makes a logger that writes the messages of a plugin into the daemon's log.
    ///
    /// The rate of these messages is limited as for a client. The limit does not cover listd's own messages about the
    /// plugin, such as its death.
    package init(_ log: Log, plugin: String) {
        let log = log.with(.plugin(plugin))
        self.init { level, message in
            log.write(
                Log.Level(rawValue: level.rawValue) ?? .info, { "\(plugin): \(Self.shortened(message))" },
                limitedBy: "the activity of plugin \(plugin)")
        }
    }

    /// Truncates a message that is longer than ``greatestLength`` bytes between two characters, and appends “…”.
    ///
    /// - Complexity: O(``greatestLength``), unless a single character is longer.
    static func shortened(_ message: String) -> String {
        let bytes = message.utf8
        guard bytes.index(bytes.startIndex, offsetBy: greatestLength + 1, limitedBy: bytes.endIndex) != nil else {
            return message
        }
        let end = bytes.index(bytes.startIndex, offsetBy: greatestLength - "…".utf8.count)
        let cut = message.indices.prefix { $0 <= end }.last
        // If the first character itself is too long, it is truncated between two scalars.
        return message[..<(cut == message.startIndex ? end : cut ?? end)] + "…"
    }
}
