// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Compiles fixtures into plugins, against the libraries that this test run has loaded.
package enum FixtureCompiler {
    /// A program failed.
    package struct Failure: Error, CustomStringConvertible {
        /// The program's command, and its output.
        package let description: String
    }

    /// The repository.
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path(percentEncoded: false)

    /// Compiles a Swift file of `Tests/Fixtures/Plugins` into a library.
    ///
    /// - Parameter defining: compilation conditions that are set.
    package static func compileSwift(_ fixture: String, to output: String, defining: [String] = []) throws {
        let built = try builtLibraries()
        let search = ["-I", "\(built)/Modules", "-I", "\(root)Sources/PluginAPI/ABI", "-L", built]
        try run(
            try swiftCompiler(),
            ["-emit-library", "-swift-version", "6", "-lPluginAPI", "-lListKit"] + search
                + ["-module-name", String(fixture.prefix { $0 != "." }), "-o", output]
                + ["\(root)Tests/Fixtures/Plugins/\(fixture)"] + defining.map { "-D\($0)" })
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: output)
    }

    /// The compiler of the project's build.
    package static func swiftCompiler() throws -> String {
        let swift = try run("\(root)scripts/swift", ["--where"]).trimmingCharacters(in: .whitespacesAndNewlines)
        return URL(filePath: swift).deletingLastPathComponent().path(percentEncoded: false) + "swiftc"
    }

    /// The directory of the libraries: that of this test run's program.
    package static func builtLibraries() throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: program).deletingLastPathComponent().path(percentEncoded: false)
    }

    /// Runs a program to its end; returns its output.
    @discardableResult
    package static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(program) \(arguments.joined(separator: " ")):\n\(text)")
        }
        return text
    }
}
