// SPDX-License-Identifier: Apache-2.0

internal import CPluginABI

/// The function that a plugin's library exports as `listd_plugin`, called by the loader.
@safe @_spi(Daemon) public struct PluginEntry: Sendable {
    /// The name of the function.
    public static let symbolName = "listd_plugin"

    private typealias Function = @convention(c) (PluginCall) -> Void
    private let function: Function

    /// Wraps the result of `dlsym` for ``symbolName``.
    ///
    /// The symbol must be a function as `listd-plugin.h` describes it, in a library that stays loaded.
    @unsafe public init(symbol: UnsafeMutableRawPointer) {
        // The caller passes a pointer to such a function.
        unsafe function = unsafeBitCast(symbol, to: Function.self)
    }

    /// The versions that the plugin was built with; `nil` when the function does not fill in a valid record.
    ///
    /// Reading it uses no Swift type of the plugin.
    public var record: PluginRecord? {
        var call = unsafe listd_plugin_call()
        unsafe call.ask = UInt32(listd_plugin_ask_record)
        // The call is a local variable; the plugin fills it in and keeps no pointer to it. Its strings are constants of
        // the library.
        unsafe function(&call)
        guard unsafe call.magic == listd_plugin_magic else { return nil }
        let compiler = unsafe call.compiler.map { unsafe String(cString: $0) } ?? ""
        return unsafe PluginRecord(
            apiMajor: call.api_major, apiMinor: call.api_minor, swiftVersion: call.swift_version, compiler: compiler)
    }

    /// The plugin type; `nil` when the function returns none. Read it only after ``PluginRecord/check(against:file:)``.
    public var plugin: (any Plugin.Type)? {
        var plugin: (any Plugin.Type)?
        // exportPlugin, compiled into the plugin, writes a value of exactly this type.
        unsafe withUnsafeMutablePointer(to: &plugin) { pointer in
            var call = unsafe listd_plugin_call()
            unsafe call.ask = UInt32(listd_plugin_ask_plugin)
            unsafe call.result = UnsafeMutableRawPointer(pointer)
            unsafe function(&call)
        }
        return plugin
    }
}
