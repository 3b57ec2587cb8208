import DBus
import Foundation

/// Makes the package of a new plugin from the template that ships with listd.
enum NewPlugin {
    /// Stands for the plugin's name in the template's files and file names; with a capital, for the start of its types.
    private static let placeholder = "template"
    /// Where the template looks for listd's development files.
    private static let templateSDK = "../../Sources"

    static func make(_ name: String, json: Bool) -> ExitCode {
        guard isIdentifier(name) else {
            Output.complain("“\(name)” cannot name a Swift module: use letters, digits and _, no digit first")
            return .usage
        }
        guard let template = templateDirectory() else {
            Output.complain("the template is not installed (share/listd/plugin-template beside listctl)")
            return .failed
        }
        do {
            try copy(template.directory, to: URL(fileURLWithPath: name, isDirectory: true)) { text in
                text.replacingOccurrences(of: placeholder, with: name)
                    .replacingOccurrences(
                        of: placeholder.capitalized, with: name.prefix(1).uppercased() + name.dropFirst()
                    )
                    .replacingOccurrences(of: templateSDK, with: template.sdk.path)
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

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, first > UInt8(ascii: "9") else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
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
            // The flag is ours and lives for the call.
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
