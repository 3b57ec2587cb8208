// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

/// `plugins`: prints a table of the plugins.
struct PluginsCommand: Command {
    static let syntax = CommandSyntax(
        name: "plugins", group: .plugins, summary: "List the plugins, and how they are.",
        discussion: [
            "PROCESS and MEMORY are those of the plugin's worker, and - while there is none; RESTARTS is the number of "
                + "restarts. LAST ERROR is empty if nothing went wrong."
        ])

    init(_ invocation: Invocation) {}

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let rows = try await daemon.plugins()
            guard !context.json else {
                for row in rows { Output.writeJSON(Self.members(of: row)) }
                return .done
            }
            Output.writeTable(Self.columns, rows.map(Self.row), context.style)
            return .done
        }
    }

    private static let columns: [TextTable.Column] = [
        .init(title: "NAME", role: { _ in .name }), .init(title: "STATE", role: ListDescription.role(ofState:)),
        .init(title: "VERSION"), .init(title: "ISOLATION"), .init(title: "PROCESS", isNumber: true),
        .init(title: "MEMORY", isNumber: true), .init(title: "RESTARTS", isNumber: true),
        .init(title: "LAST ERROR", role: { _ in .bad }), .init(title: "FILE", role: { _ in .faint }),
    ]

    private static func row(_ plugin: ListDaemonClient.PluginRow) -> [String] {
        let values = plugin.values
        return [
            plugin.name, values.text("state") ?? "", values.text("version") ?? "", values.text("isolation") ?? "",
            values.number("pid").map { "\($0)" } ?? "-",
            values.number("memory").map { FieldHint.bytes(Double($0)) } ?? "-", "\(values.number("restarts") ?? 0)",
            values.text("error") ?? "", values.text("file") ?? "",
        ]
    }

    private static func members(of plugin: ListDaemonClient.PluginRow) -> [String: DBusValue] {
        plugin.values.merging(["name": .string(plugin.name)]) { $1 }
    }
}

/// `load`: loads a plugin.
struct LoadCommand: Command {
    static let syntax = CommandSyntax(
        name: "load", group: .plugins, summary: "Load a plugin, or take its new version into use.",
        operands: [.init(name: "FILE", completion: .file)],
        discussion: [
            "FILE is the path of the library, or its name in one of listd's folders of plugins. Lists that use the "
                + "plugin continue with the new version; for administrators.",
            "A plugin that is loaded already, and whose file and settings have not changed since, is not loaded again.",
        ])

    private let file: String

    init(_ invocation: Invocation) { file = invocation.operand("FILE") }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
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
struct UnloadCommand: Command {
    static let syntax = CommandSyntax(
        name: "unload", group: .plugins, summary: "Unload a plugin that no list uses; for administrators.",
        operands: [.init(name: "PLUGIN", completion: .plugin)])

    private let name: String

    init(_ invocation: Invocation) { name = invocation.operand("PLUGIN") }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            _ = try await daemon.manager.call("UnloadPlugin", name)
            return .done
        }
    }
}

/// `new-plugin`: creates the package of a new plugin.
struct NewPluginCommand: Command {
    static let syntax = CommandSyntax(
        name: "new-plugin", group: .plugins, summary: "Make the package of a new plugin in ./PLUGIN.",
        operands: [.init(name: "PLUGIN")],
        discussion: ["A name has 1 to 64 letters, digits, - and _, with one letter at least."])

    private let name: String

    init(_ invocation: Invocation) throws(UsageError) {
        name = invocation.operand("PLUGIN")
        guard NewPlugin.isName(name) else {
            throw UsageError(
                message: "“\(name)” cannot name a plugin: 1 to 64 letters, digits, - and _, one letter at least")
        }
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        NewPlugin.makePackage(named: name, json: context.json)
    }
}
