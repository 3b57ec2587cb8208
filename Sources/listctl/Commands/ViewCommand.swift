// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// `view`: shows a list on the terminal.
struct ViewCommand: Command {
    static let syntax = CommandSyntax(
        name: "view", group: .looking, summary: "Browse a list on the whole terminal; “?” tells the keys.",
        operands: [.list],
        options: [
            .init(
                name: "height", value: "LINES",
                summary: "The number of lines to show when the output is not a terminal: 1 to 10000, by default 24.")
        ],
        discussion: [
            "The viewer draws the slots of a view and holds no copy of the list. When the output is not a terminal, "
                + "or with --json, it prints the first screen and then the changes, as “watch” does.",
            "When listd ends, the viewer waits until listd is back.",
        ])

    private let name: String
    private let height: Int?

    init(_ invocation: Invocation) throws(UsageError) {
        name = invocation.operand("NAME")
        height = try invocation.number(of: "height", in: 1...10_000)
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        let address = try await context.address()
        _ = try await Presence.findList(named: name, at: address)
        guard Terminal.isInteractive, !context.json else {
            let first = FirstScreen(rows: height ?? 24, json: context.json)
            return await Following(name, address, json: context.json, firstScreen: first).run()
        }
        return await Viewer(name, address).run()
    }
}

/// `watch`: prints the changes of a list.
struct WatchCommand: Command {
    static let syntax = CommandSyntax(
        name: "watch", group: .looking, summary: "Print the changes of a list as they come.",
        operands: [.list],
        discussion: [
            "It prints a line for each object that is inserted, removed, moved or changed, with the time and the "
                + "revision. When listd ends or does not answer, a message says so; as soon as listd is back, the "
                + "missed changes are printed.",
            "It ends when the list is removed, or listd comes back without it, and the list is not created again "
                + "within three seconds.",
        ])

    private let name: String

    init(_ invocation: Invocation) { name = invocation.operand("NAME") }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        let address = try await context.address()
        _ = try await Presence.findList(named: name, at: address)
        return await Following(name, address, json: context.json).run()
    }
}

/// `monitor`: prints the signals of lists.
struct MonitorCommand: Command {
    static let syntax = CommandSyntax(
        name: "monitor", group: .looking, summary: "Print what listd tells of one list, or of all that you may read.",
        operands: [.init(name: "NAME", arity: .optional, completion: .list)],
        discussion: [
            "It prints updates, what views show and prepare, selection and actions, with the time and the revision. "
                + "New lists, and lists that a reload makes readable, are included. It continues when listd is "
                + "started again. With NAME, it ends when that list may not be read any more. With --json, the "
                + "arguments of the signals are printed whole."
        ])

    private let name: String?

    init(_ invocation: Invocation) { name = invocation.operands("NAME").first }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        let address = try await context.address()
        let path = try await Presence.findList(named: name, at: address)
        return await Monitor(path, address, json: context.json).run()
    }
}
