// SPDX-License-Identifier: Apache-2.0

internal import CPluginABI

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
