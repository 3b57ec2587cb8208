// SPDX-License-Identifier: Apache-2.0

public import CPluginABI

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

/// One call of a plugin's exported function by the loader, as a pointer to a C struct for question and answer.
public typealias PluginCall = UnsafeMutablePointer<listd_plugin_call>

/// Answers a call of the loader, with the versions that the plugin was built with or with the plugin type.
///
/// Every plugin exports a public function `listd_plugin`, which calls this function:
///
/// ```swift
/// @c public func listd_plugin(_ call: PluginCall) { exportPlugin(Greenhouse.self, to: call) }
/// ```
///
/// `exportPlugin` is compiled into the plugin, so that it returns the versions that the plugin was built with. The
/// loader asks for the type only after it has checked the versions.
@safe @_alwaysEmitIntoClient
public func exportPlugin(_ plugin: @autoclosure () -> any Plugin.Type, to call: PluginCall) {
    // The loader owns the memory behind the pointer, which is valid during the call.
    switch unsafe call.pointee.ask {
    case UInt32(listd_plugin_ask_record):
        unsafe call.pointee.magic = listd_plugin_magic
        unsafe call.pointee.api_major = UInt32(LISTD_PLUGIN_API_MAJOR)
        unsafe call.pointee.api_minor = UInt32(LISTD_PLUGIN_API_MINOR)
        unsafe call.pointee.swift_version = compilerVersionNumber()
        unsafe call.pointee.compiler = unsafe listd_compiler()
    case UInt32(listd_plugin_ask_plugin):
        unsafe call.pointee.result?.assumingMemoryBound(to: (any Plugin.Type)?.self).pointee = plugin()
    default:
        break
    }
}

/// The versions that a plugin was built with, which the loader checks before it uses any Swift type of the plugin.
@_spi(Daemon) public struct PluginRecord: Sendable, Hashable {
    /// The major version of the plugin API; it must equal the daemon's.
    public var apiMajor: UInt32
    /// The minor version of the plugin API; it must not be higher than the daemon's.
    public var apiMinor: UInt32
    /// The release of the Swift compiler, as `major << 16 | minor << 8 | patch`.
    public var swiftVersion: UInt32
    /// The build of the compiler, which distinguishes compilers of the same release.
    public var compiler: String

    /// Makes a record from versions.
    public init(apiMajor: UInt32, apiMinor: UInt32, swiftVersion: UInt32, compiler: String) {
        self.apiMajor = apiMajor
        self.apiMinor = apiMinor
        self.swiftVersion = swiftVersion
        self.compiler = compiler
    }

    /// The versions that this copy of the plugin API was built with.
    public static var current: PluginRecord {
        // The string is a constant of this library.
        PluginRecord(
            apiMajor: UInt32(LISTD_PLUGIN_API_MAJOR), apiMinor: UInt32(LISTD_PLUGIN_API_MINOR),
            swiftVersion: compilerVersionNumber(), compiler: unsafe String(cString: listd_compiler()))
    }

    /// The API version on the bus: major × 65536 + minor.
    public var apiVersion: UInt32 { apiMajor << 16 | (apiMinor & 0xFFFF) }

    /// Checks that a plugin with this record can run in a daemon with another record.
    ///
    /// - Throws: `pluginRefused`, with the versions of both. Swift's ABI on Linux is stable only within one compiler,
    ///   and an API of a later minor version has declarations that the daemon lacks.
    public func check(against daemon: PluginRecord, file: String) throws(ListError) {
        guard apiMajor == daemon.apiMajor, apiMinor <= daemon.apiMinor else {
            throw ListError(
                .pluginRefused,
                "\(file.shortenedPath): the plugin was built for plugin API \(apiMajor).\(apiMinor), but this listd has "
                    + "\(daemon.apiMajor).\(daemon.apiMinor)")
        }
        guard swiftVersion == daemon.swiftVersion, compiler == daemon.compiler else {
            throw ListError(
                .pluginRefused,
                "\(file.shortenedPath): the plugin was built with \(compilerText), but this listd with \(daemon.compilerText)"
            )
        }
    }

    private var compilerText: String {
        let release = "\(swiftVersion >> 16).\(swiftVersion >> 8 & 0xFF).\(swiftVersion & 0xFF)"
        return "Swift \(release) (\(compiler))"
    }
}

/// Returns the release of the compiler, as `major << 16 | minor << 8 | patch`.
///
/// For a compiler that is newer than all releases below, it returns the newest of these. The build string distinguishes
/// such compilers.
@_alwaysEmitIntoClient
@usableFromInline internal func compilerVersionNumber() -> UInt32 {
    #if compiler(>=6.5)
    0x06_05_00
    #elseif compiler(>=6.4)
    0x06_04_00
    #elseif compiler(>=6.3.3)
    0x06_03_03
    #elseif compiler(>=6.3.2)
    0x06_03_02
    #elseif compiler(>=6.3.1)
    0x06_03_01
    #elseif compiler(>=6.3)
    0x06_03_00
    #else
    0x06_02_00
    #endif
}
