// SPDX-License-Identifier: Apache-2.0

import Foundation
@_spi(Daemon) import PluginAPI
import TestSupport
import Testing

/// A directory in which a test builds plugins.
final class PluginBuildDirectory {
    /// The directory with the plugins.
    let directory: String

    private static let root = FixtureCompiler.root

    init() throws {
        directory = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "listd-plugins.\(UUID().uuidString)").path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Returns the path of a file in the directory.
    func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Writes a file; by default only its owner may write to it.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String, mode: Int = 0o755) throws -> String {
        try Data(bytes).write(to: URL(filePath: path(name)))
        try setMode(mode, of: name)
        return path(name)
    }

    func setMode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    /// Changes the owner of a file, which only root may do.
    func setOwner(of name: String, user: UInt32, group: UInt32) throws {
        let result = unsafe chown(path(name), user, group)
        try #require(result == 0)
    }

    /// Compiles a fixture and returns the library's path.
    ///
    /// - Parameters:
    ///   - fixture: a file of `Tests/Fixtures/Plugins`.
    ///   - name: the library's name; by default the fixture's, as `NAME.so`.
    @discardableResult
    func build(_ fixture: String, as name: String? = nil, defining: [String] = []) throws -> String {
        let source = "\(Self.root)Tests/Fixtures/Plugins/\(fixture)"
        let output = path(name ?? String(fixture.prefix { $0 != "." }) + ".so")
        guard fixture.hasSuffix(".c") else {
            try FixtureCompiler.compileSwift(fixture, to: output, defining: defining)
            return output
        }
        try FixtureCompiler.run(
            "/usr/bin/env",
            ["cc", "-shared", "-fPIC", "-I", "\(Self.root)Sources/PluginAPI/ABI", "-o", output, source]
                + defining.map { "-D\($0)" })
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: output)
        return output
    }

    /// Builds the plugin of `Tests/Fixtures/PreviousMinor` against the old libraries in that folder. Returns the
    /// plugin's path.
    func buildPreviousMinor() throws -> String {
        let sources = "\(Self.root)Tests/Fixtures/PreviousMinor"
        let version = PluginRecord.current.swiftVersion
        func compile(_ module: String, to output: String, _ flags: [String]) throws {
            let search = ["-I", directory, "-I", "\(Self.root)Sources/PluginAPI/ABI", "-L", directory]
            try FixtureCompiler.run(
                try FixtureCompiler.swiftCompiler(),
                ["-emit-library", "-swift-version", "6", "-module-name", module, "-o", path(output)] + search + flags)
        }
        let resilient = ["-emit-module", "-enable-library-evolution", "-no-verify-emitted-module-interface"]
        // Replaces the compiler's version in the old source by the number that the present compiler writes.
        let api = try String(contentsOfFile: "\(sources)/PluginAPI.swift", encoding: .utf8)
            .replacingOccurrences(of: "SWIFT_VERSION", with: "\(version)")
        try write(Array(api.utf8), to: "PluginAPI.swift")
        try compile("ListKit", to: "libListKit.so", resilient + ["\(sources)/ListKit.swift"])
        try compile("PluginAPI", to: "libPluginAPI.so", resilient + ["-lListKit", path("PluginAPI.swift")])
        try compile("veteran", to: "veteran.so", ["-lPluginAPI", "-lListKit", "\(sources)/veteran.swift"])
        return path("veteran.so")
    }
}
