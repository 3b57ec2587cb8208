import Foundation
@_spi(Daemon) import PluginAPI
import Testing

/// A directory in which a test puts plugins together.
final class PluginWorkshop {
    /// Where the plugins are.
    let directory: String

    /// The repository.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path(percentEncoded: false)

    init() throws {
        directory = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "listd-plugins.\(UUID().uuidString)").path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// The path of a file in the directory.
    func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Writes a file that others cannot write.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String, mode: Int = 0o755) throws -> String {
        try Data(bytes).write(to: URL(filePath: path(name)))
        try setMode(mode, of: name)
        return path(name)
    }

    func setMode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    /// Gives a file to somebody else; only root can.
    func give(_ name: String, toUser user: UInt32, group: UInt32) throws {
        let result = unsafe chown(path(name), user, group)
        try #require(result == 0)
    }

    /// Compiles a fixture and answers the library's path.
    ///
    /// - Parameters:
    ///   - fixture: a file of `Tests/Fixtures/Plugins`.
    ///   - name: the library's name; the fixture's, as `NAME.so`, if not given.
    @discardableResult
    func build(_ fixture: String, as name: String? = nil, defining: [String] = []) throws -> String {
        let source = "\(Self.root)Tests/Fixtures/Plugins/\(fixture)"
        let output = path(name ?? String(fixture.prefix { $0 != "." }) + ".so")
        let flags = defining.map { "-D\($0)" }
        if fixture.hasSuffix(".c") {
            try run(
                "/usr/bin/env",
                ["cc", "-shared", "-fPIC", "-I", "\(Self.root)Sources/PluginAPI/ABI", "-o", output, source] + flags)
        } else {
            let module = String(fixture.prefix { $0 != "." })
            try run(
                try swiftCompiler(),
                swiftFlags(try builtLibraries()) + ["-module-name", module, "-o", output, source] + flags)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: output)
        return output
    }

    private func swiftFlags(_ built: String) -> [String] {
        let search = ["-I", "\(built)/Modules", "-I", "\(Self.root)Sources/PluginAPI/ABI", "-L", built]
        return ["-emit-library", "-swift-version", "6", "-lPluginAPI", "-lListKit"] + search
    }

    /// Builds the plugin of `Tests/Fixtures/PreviousMinor` against the libraries there, and answers the plugin's path.
    func buildVeteran() throws -> String {
        let sources = "\(Self.root)Tests/Fixtures/PreviousMinor"
        let version = PluginRecord.current.swiftVersion
        func compile(_ module: String, to output: String, _ flags: [String]) throws {
            let search = ["-I", directory, "-I", "\(Self.root)Sources/PluginAPI/ABI", "-L", directory]
            try run(
                try swiftCompiler(),
                ["-emit-library", "-swift-version", "6", "-module-name", module, "-o", path(output)] + search + flags)
        }
        let resilient = ["-emit-module", "-enable-library-evolution", "-no-verify-emitted-module-interface"]
        // The release of the compiler is a number in the old source, as the plugin's own compiler wrote it then.
        let api = try String(contentsOfFile: "\(sources)/PluginAPI.swift", encoding: .utf8)
            .replacingOccurrences(of: "SWIFT_VERSION", with: "\(version)")
        try write(Array(api.utf8), to: "PluginAPI.swift")
        try compile("ListKit", to: "libListKit.so", resilient + ["\(sources)/ListKit.swift"])
        try compile("PluginAPI", to: "libPluginAPI.so", resilient + ["-lListKit", path("PluginAPI.swift")])
        try compile("veteran", to: "veteran.so", ["-lPluginAPI", "-lListKit", "\(sources)/veteran.swift"])
        return path("veteran.so")
    }

    private func swiftCompiler() throws -> String {
        let swift = try run("\(Self.root)scripts/swift", ["--where"]).trimmingCharacters(in: .whitespacesAndNewlines)
        return URL(filePath: swift).deletingLastPathComponent().path(percentEncoded: false) + "swiftc"
    }

    /// Where the libraries are that this test run has loaded: beside its program.
    private func builtLibraries() throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: program).deletingLastPathComponent().path(percentEncoded: false)
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(program) \(arguments.joined(separator: " ")):\n\(text)")
        return text
    }
}
