// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
package import ListKit
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
