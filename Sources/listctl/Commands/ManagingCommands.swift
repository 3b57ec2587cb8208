// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// `create`: creates a list.
struct CreateCommand: Command {
    static let syntax = CommandSyntax(
        name: "create", group: .managing, summary: "Make a list.",
        operands: [.init(name: "NAME"), .init(name: "KEY=VALUE", arity: .any, completion: .listOption)],
        discussion: [
            "KEY is an option of CreateAdapter (org.listd.Listd1(5), OPTIONS OF A LIST), as in “create mail durability=memory "
                + "readers=group:staff”. Several section-controllers, empty or hints are separated by commas: "
                + "section-controllers=mail=inbox/Mail,*=listd/single."
        ])

    private let name: String
    private let options: [String]

    init(_ invocation: Invocation) throws(UsageError) {
        name = invocation.operand("NAME")
        options = invocation.operands("KEY=VALUE")
        try Self.checkName(name)
        do throws(DBusError) {
            try AdapterOptionText.checkKeys(of: options)
        } catch {
            throw UsageError(message: error.message)
        }
    }

    /// Refuses an empty name. listd accepts it, but an empty argument most likely comes from a shell variable that is
    /// not set.
    static func checkName(_ name: String) throws(UsageError) {
        if name.isEmpty { throw UsageError(message: "a list needs a name") }
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let path = try await daemon.createAdapter(name, options: try AdapterOptionText.parse(options))
            context.print(path.text, json: ["name": .string(name), "path": .objectPath(path)])
            return .done
        }
    }
}

/// `rename`: gives a list another name.
struct RenameCommand: Command {
    static let syntax = CommandSyntax(
        name: "rename", group: .managing, summary: "Give a list another name; its views close, its contents stay.",
        operands: [.list, .init(name: "NEW")])

    private let old: String
    private let new: String

    init(_ invocation: Invocation) throws(UsageError) {
        old = invocation.operand("NAME")
        new = invocation.operand("NEW")
        try CreateCommand.checkName(new)
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            try await daemon.renameAdapter(old, to: new)
            return .done
        }
    }
}

/// `remove`: removes a list and its objects.
struct RemoveCommand: Command {
    static let syntax = CommandSyntax(
        name: "remove", group: .managing, summary: "Remove a list with all that is in it.", operands: [.list])

    private let name: String

    init(_ invocation: Invocation) { name = invocation.operand("NAME") }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            try await daemon.removeAdapter(name)
            return .done
        }
    }
}
