// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Compiles fixtures into plugins, against the libraries that this test run has loaded.
package enum FixtureCompiler {
    /// The error of a program that failed.
    package struct Failure: Error, CustomStringConvertible {
        /// The command and the output of the program.
        package let description: String
    }

    /// The root directory of the repository.
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path(percentEncoded: false)

    /// Compiles a Swift file of `Tests/Fixtures/Plugins` into a library.
    ///
    /// - Parameters:
    ///   - defining: The compilation conditions to set.
    ///   - options: Further options of the compiler.
    package static func compileSwift(
        _ fixture: String, to output: String, defining: [String] = [], options: [String] = []
    ) throws {
        let built = try builtLibraries()
        let search = ["-I", "\(built)/Modules", "-I", "\(root)Sources/PluginAPI/ABI", "-L", built]
        try run(
            try swiftCompiler(),
            ["-emit-library", "-swift-version", "6", "-lPluginAPI", "-lListKit"] + search
                + ["-module-name", String(fixture.prefix { $0 != "." }), "-o", output]
                + ["\(root)Tests/Fixtures/Plugins/\(fixture)"] + defining.map { "-D\($0)" } + options)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: output)
    }

    /// Returns the path of the compiler that built the project.
    package static func swiftCompiler() throws -> String {
        let swift = try run("\(root)scripts/swift", ["--where"]).trimmingCharacters(in: .whitespacesAndNewlines)
        return URL(filePath: swift).deletingLastPathComponent().path(percentEncoded: false) + "swiftc"
    }

    /// Returns the directory of the built libraries, which is that of this test program.
    package static func builtLibraries() throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: program).deletingLastPathComponent().path(percentEncoded: false)
    }

    /// Runs a program until it exits, and returns its output.
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
