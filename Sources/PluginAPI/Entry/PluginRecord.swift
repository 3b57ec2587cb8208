// SPDX-License-Identifier: Apache-2.0

internal import CPluginABI

/// What a plugin was built with: read before any Swift type of it is touched.
@_spi(Daemon) public struct PluginRecord: Sendable, Hashable {
    /// The major version of the plugin API; another one does not fit.
    public var apiMajor: UInt32
    /// The minor version; an older one fits.
    public var apiMinor: UInt32
    /// The release of the Swift compiler, as `major << 16 | minor << 8 | patch`.
    public var swiftVersion: UInt32
    /// The build of the compiler, for a compiler of the same release that is another one.
    public var compiler: String

    /// Makes a record from versions.
    public init(apiMajor: UInt32, apiMinor: UInt32, swiftVersion: UInt32, compiler: String) {
        self.apiMajor = apiMajor
        self.apiMinor = apiMinor
        self.swiftVersion = swiftVersion
        self.compiler = compiler
    }

    /// What this copy of the plugin API was built with: what a plugin has to fit to.
    public static var current: PluginRecord {
        // The string is a constant of this library.
        PluginRecord(
            apiMajor: UInt32(LISTD_PLUGIN_API_MAJOR), apiMinor: UInt32(LISTD_PLUGIN_API_MINOR),
            swiftVersion: compilerVersionNumber(), compiler: unsafe String(cString: listd_compiler()))
    }

    /// The API version as the bus tells it: major × 65536 + minor.
    public var apiVersion: UInt32 { apiMajor << 16 | (apiMinor & 0xFFFF) }

    /// Checks that a plugin with this record can live in a daemon with that one.
    ///
    /// - Throws: `pluginRefused` with both values. Swift's ABI on Linux holds only within one compiler, and an API of a
    ///   later minor version has things that the daemon lacks.
    public func check(against daemon: PluginRecord, file: String) throws(ListError) {
        guard apiMajor == daemon.apiMajor, apiMinor <= daemon.apiMinor else {
            throw ListError(
                .pluginRefused,
                "\(file): built for plugin API \(apiMajor).\(apiMinor), this listd has \(daemon.apiMajor).\(daemon.apiMinor)"
            )
        }
        guard swiftVersion == daemon.swiftVersion, compiler == daemon.compiler else {
            throw ListError(
                .pluginRefused, "\(file): built with \(compilerText), this listd with \(daemon.compilerText)")
        }
    }

    private var compilerText: String {
        let release = "\(swiftVersion >> 16).\(swiftVersion >> 8 & 0xFF).\(swiftVersion & 0xFF)"
        return "Swift \(release) (\(compiler))"
    }
}
