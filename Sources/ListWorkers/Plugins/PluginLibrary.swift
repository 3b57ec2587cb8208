// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
package import ListKit
@_spi(Daemon) package import PluginAPI

/// A plugin's library in this process; it stays until the process ends.
///
/// Swift's runtime keeps what a library registered with it, so a library is never closed.
package struct PluginLibrary: Sendable {
    /// The file it was loaded from.
    package let file: PluginFile
    /// The versions that it was built with.
    package let record: PluginRecord
    private let entry: PluginEntry

    /// Loads a library and asks it what it was built with; no Swift type of it is touched.
    ///
    /// - Throws: `pluginRefused`: the dynamic loader's own words, no entry point, or versions that do not fit.
    package init(_ file: PluginFile, daemon: PluginRecord = .current) throws(ListError) {
        entry = try Self.load(file)
        guard let record = entry.record else {
            throw ListError(
                .pluginRefused, "\(file.path): \(PluginEntry.symbolName) does not answer as a plugin's does")
        }
        try record.check(against: daemon, file: file.path)
        self.file = file
        self.record = record
    }

    private static func load(_ file: PluginFile) throws(ListError) -> PluginEntry {
        // RTLD_NOW: a missing symbol is reported here and not in the middle of a callback. The handle is never closed.
        // On the main queue: a plugin may be the first to load Foundation, which then initialises libdispatch again
        // (`__CFInitialize` calls `libdispatch_init`) and makes its thread the owner of the main queue. Off the queue nothing
        // would take that back, and no job of the main actor would run any more, such as the one that ends the daemon.
        let (handle, reason) = unsafe DispatchQueue.main.sync {
            let handle = unsafe dlopen(file.path, RTLD_NOW | RTLD_LOCAL)
            return unsafe (handle, handle == nil ? dlerror().map { unsafe String(cString: $0) } : nil)
        }
        guard let handle = unsafe handle else {
            throw ListError(.pluginRefused, "\(file.path): cannot be loaded", cause: reason)
        }
        guard let symbol = unsafe dlsym(handle, PluginEntry.symbolName) else {
            throw ListError(
                .pluginRefused,
                "\(file.path): exports no \(PluginEntry.symbolName) (is “@c” missing?); a plugin has the line "
                    + "“@c public func \(PluginEntry.symbolName)(_ call: PluginCall) { exportPlugin(NAME.self, to: call) }”"
            )
        }
        return unsafe PluginEntry(symbol: symbol)
    }

    /// Asks the plugin for its manifest; the first Swift code of it that runs.
    ///
    /// - Throws: `pluginRefused` when the plugin throws, or when its manifest makes no sense.
    package func manifest(for host: PluginHost) throws(ListError) -> PluginManifest {
        guard let plugin = entry.plugin else { throw ListError(.pluginRefused, "\(file.path): exports no plugin") }
        let manifest: PluginManifest
        do { manifest = try plugin.manifest(for: host) } catch {
            // The administrator has to correct a setting that the plugin does not accept.
            let what =
                error is PluginSettingError
                ? "refuses its settings ([Plugin \(file.pluginName)] in listd.conf)" : "refuses to start"
            throw ListError(.pluginRefused, "\(file.path): the plugin \(what)", cause: "\(error)")
        }
        try manifest.check(file: file)
        return manifest
    }
}
