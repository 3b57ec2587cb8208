// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient

extension Command {
    /// `plugins`: prints a table of the plugins.
    static let plugins = Command(
        name: "plugins", group: .plugins, summary: "List the plugins, and how they are.",
        discussion: [
            "PROCESS and MEMORY are those of the plugin's worker, and - while there is none; RESTARTS is the number of "
                + "restarts. LAST ERROR is empty if nothing went wrong."
        ]
    ) { _ in
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                let plugins = try await daemon.plugins()
                guard !context.json else {
                    for plugin in plugins { Output.writeJSON(plugin.members) }
                    return .done
                }
                Output.writeTable(ListDaemonClient.Description.pluginColumns, plugins.map(\.pluginRow), context.style)
                return .done
            }
        }
    }

    /// `load`: loads a plugin.
    static let load = Command(
        name: "load", group: .plugins, summary: "Load a plugin, or take its new version into use.",
        operands: [.init(name: "FILE", completion: .file)],
        discussion: [
            "FILE is the path of the library, or its name in one of listd's folders of plugins. Lists that use the "
                + "plugin continue with the new version; for administrators.",
            "A plugin that is loaded already, and whose file and settings have not changed since, is not loaded again.",
        ]
    ) { invocation in
        let file = invocation.operand("FILE")
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                let before = try await daemon.plugins()
                let path = try await daemon.manager.call(
                    "LoadPlugin", file, returning: ObjectPath.self, timeout: .seconds(120))
                let name = ListdName.unescaped(path) ?? path.text
                let known = before.first { $0.name == name }?.values
                let present = try await daemon.plugins().first { $0.name == name }?.values
                // A plugin is loaded once in a process.
                let isUnchanged = known?.text("state") == "ready" && known?.number("pid") == present?.number("pid")
                context.print(
                    isUnchanged
                        ? "\(name) \(present?.text("version") ?? "") is loaded already, and neither file nor settings changed"
                        : "loaded \(name)",
                    json: ["name": .string(name), "path": .objectPath(path), "unchanged": .boolean(isUnchanged)])
                return .done
            }
        }
    }

    /// `unload`: unloads a plugin.
    static let unload = Command(
        name: "unload", group: .plugins, summary: "Unload a plugin that no list uses; for administrators.",
        operands: [.init(name: "PLUGIN", completion: .plugin)]
    ) { invocation in
        let name = invocation.operand("PLUGIN")
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                _ = try await daemon.manager.call("UnloadPlugin", name)
                return .done
            }
        }
    }

    /// `new-plugin`: creates the package of a new plugin.
    static let newPlugin = Command(
        name: "new-plugin", group: .plugins, summary: "Make the package of a new plugin in ./PLUGIN.",
        operands: [.init(name: "PLUGIN")],
        discussion: ["A name has 1 to 64 letters, digits, - and _, with one letter at least."]
    ) { invocation throws(UsageError) in
        let name = invocation.operand("PLUGIN")
        guard NewPlugin.isName(name) else {
            throw UsageError(
                message: "“\(name)” cannot name a plugin: 1 to 64 letters, digits, - and _, one letter at least")
        }
        return { context throws(DBusError) in
            NewPlugin.makePackage(named: name, json: context.json)
        }
    }
}

extension ListDaemonClient.Description {
    fileprivate static let pluginColumns: [TextTable.Column] = [
        .init(title: "NAME", role: { _ in .name }), .init(title: "STATE", role: TextStyle.role(ofState:)),
        .init(title: "VERSION"), .init(title: "ISOLATION"), .init(title: "PROCESS", isNumber: true),
        .init(title: "MEMORY", isNumber: true), .init(title: "RESTARTS", isNumber: true),
        .init(title: "LAST ERROR", role: { _ in .bad }), .init(title: "FILE", role: { _ in .faint }),
    ]

    fileprivate var pluginRow: [String] {
        [
            name, values.text("state") ?? "", values.text("version") ?? "", values.text("isolation") ?? "",
            values.number("pid").map { "\($0)" } ?? "-",
            values.number("memory").map { FieldHint.bytes(Double($0)) } ?? "-", "\(values.number("restarts") ?? 0)",
            values.text("error") ?? "", values.text("file") ?? "",
        ]
    }
}

/// The command `new-plugin`, which creates the package of a new plugin from the template that is installed with listd.
enum NewPlugin {
    /// The placeholder for the plugin's name in the template's files and file names. Capitalised, it stands for the
    /// prefix of the plugin's types; after `import`, it stands for the plugin's module.
    private static let placeholder = "template"
    /// The path to listd's development files in the template.
    private static let templateSDK = "../../Sources"

    /// Creates the package in a new folder with the plugin's name, and prints what to do next.
    ///
    /// - Parameter name: a name for which ``isName(_:)`` is true.
    static func makePackage(named name: String, json: Bool) -> ExitCode {
        guard let template = templateDirectory() else {
            Output.printMessage(
                "the template of new plugins is not installed (share/listd/plugin-template beside listctl)")
            return .failed
        }
        do {
            try copy(template.directory, to: URL(fileURLWithPath: name, isDirectory: true)) { text in
                replacingPlaceholders(in: text, name: name, sdk: template.sdk.path)
            }
            if json {
                Output.writeJSON(["directory": .string(name)])
            } else {
                Output.writeLine("made \(name)/; next: cd \(name) && swift build && swift test")
            }
            return .done
        } catch {
            Output.printMessage(error.localizedDescription)
            return .failed
        }
    }

    /// Whether a text can be the name of a plugin. The daemon's rules are those of `PluginName`; the Swift module
    /// needs at least one letter.
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

    /// Returns a text or file name of the template with the placeholders replaced for a plugin with the given name.
    static func replacingPlaceholders(in text: String, name: String, sdk: String) -> String {
        let module = module(of: name)
        return replacing(
            text,
            [
                ("import \(placeholder)", "import \(module)"), (placeholder, name),
                (placeholder.capitalized, module.prefix(1).uppercased() + module.dropFirst()), (templateSDK, sdk),
            ])
    }

    /// Returns the module name that the Swift package manager derives from the name of a target.
    private static func module(of name: String) -> String {
        let word = name.replacingOccurrences(of: "-", with: "_")
        return word.utf8.first.map(isDigit) == true ? "_" + word.dropFirst() : word
    }

    /// Returns the text with all replacements made at once, so that inserted text is not replaced again.
    private static func replacing(_ text: String, _ replacements: some Collection<(old: String, new: String)>) -> String
    {
        guard let first = replacements.first else { return text }
        let parts = text.components(separatedBy: first.old).map { replacing($0, replacements.dropFirst()) }
        return parts.joined(separator: first.new)
    }

    /// Returns the folders of the template and of the development files. They are beside the installed program, or in
    /// the checkout from which the program was built.
    private static func templateDirectory() -> (directory: URL, sdk: URL)? {
        guard let program = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return nil }
        let prefix = program.deletingLastPathComponent().appending(path: "..").standardized
        var candidates = [
            (prefix.appending(path: "share/listd/plugin-template"), prefix.appending(path: "lib/listd/sdk"))
        ]
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
