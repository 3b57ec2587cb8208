// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation

/// Makes the package of a new plugin from the template that is installed with listd.
enum NewPlugin {
    /// The placeholder for the plugin's name in the template's files and file names; capitalised, for the start of its
    /// types; after `import`, for its module.
    private static let placeholder = "template"
    /// The template's path to listd's development files.
    private static let templateSDK = "../../Sources"

    /// - Parameter name: one for which ``isName(_:)`` is true.
    static func make(_ name: String, json: Bool) -> ExitCode {
        guard let template = templateDirectory() else {
            Output.complain("the template is not installed (share/listd/plugin-template beside listctl)")
            return .failed
        }
        do {
            try copy(template.directory, to: URL(fileURLWithPath: name, isDirectory: true)) { text in
                renamed(text, for: name, sdk: template.sdk.path)
            }
            if json {
                Output.json(["directory": .string(name)])
            } else {
                Output.line("made \(name)/; next: cd \(name) && swift build && swift test")
            }
            return .done
        } catch {
            Output.complain(error.localizedDescription)
            return .failed
        }
    }

    /// Whether a text can be the name of a plugin, for the daemon (`PluginName`) and with a letter for a Swift module.
    static func isName(_ text: String) -> Bool {
        let letters = text.utf8.count { isLetter($0) }
        return letters > 0 && text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// A part of the template, or the name of one of its files, for a plugin of this name.
    static func renamed(_ text: String, for name: String, sdk: String) -> String {
        let module = module(of: name)
        return replaced(
            text,
            [
                ("import \(placeholder)", "import \(module)"), (placeholder, name),
                (placeholder.capitalized, module.prefix(1).uppercased() + module.dropFirst()), (templateSDK, sdk),
            ])
    }

    /// The name of the package manager's module for a target with this name.
    private static func module(of name: String) -> String {
        let word = name.replacingOccurrences(of: "-", with: "_")
        return word.utf8.first.map(isDigit) == true ? "_" + word.dropFirst() : word
    }

    /// Makes all replacements at once, so that none is replaced again.
    private static func replaced(_ text: String, _ replacements: some Collection<(old: String, new: String)>) -> String
    {
        guard let first = replacements.first else { return text }
        let parts = text.components(separatedBy: first.old).map { replaced($0, replacements.dropFirst()) }
        return parts.joined(separator: first.new)
    }

    /// The template and the development files beside the installed program, or in the sources it was built from.
    private static func templateDirectory() -> (directory: URL, sdk: URL)? {
        guard let program = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return nil }
        let share = program.deletingLastPathComponent().appending(path: "../share/listd").standardized
        var candidates = [(share.appending(path: "plugin-template"), share.appending(path: "sdk"))]
        var directory = program.deletingLastPathComponent()
        while directory.path != "/" {
            candidates.append((directory.appending(path: "Plugins/template"), directory.appending(path: "Sources")))
            directory = directory.deletingLastPathComponent()
        }
        return candidates.first { FileManager.default.fileExists(atPath: $0.0.appending(path: "Package.swift").path) }
    }

    private static func copy(_ template: URL, to target: URL, naming: (String) -> String) throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: target.path) else {
            throw CocoaError(.fileWriteFileExists, userInfo: [NSFilePathErrorKey: target.path])
        }
        let paths = try files.subpathsOfDirectory(atPath: template.path).filter { !$0.hasPrefix(".build") }
        for path in paths {
            let source = template.appending(path: path)
            let copy = target.appending(path: naming(path))
            var isDirectory: ObjCBool = false
            // The flag is a local variable that outlives the call.
            guard unsafe files.fileExists(atPath: source.path, isDirectory: &isDirectory) else { continue }
            if isDirectory.boolValue {
                try files.createDirectory(at: copy, withIntermediateDirectories: true)
            } else {
                try files.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
                let text = try String(contentsOf: source, encoding: .utf8)
                try naming(text).write(to: copy, atomically: true, encoding: .utf8)
            }
        }
    }
}
