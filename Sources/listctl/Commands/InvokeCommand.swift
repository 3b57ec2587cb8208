// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// `invoke`: requests an action on an item.
struct InvokeCommand: Command {
    static let syntax = CommandSyntax(
        name: "invoke", group: .writing, summary: "Ask for an action on an item, as a click in a viewer does.",
        operands: [.list, .init(name: "ID"), .init(name: "ACTION"), .init(name: "KEY=VALUE", arity: .any)],
        options: [
            .init(
                name: "item", value: "NUMBER",
                summary: "The index of the item in the object; by default 0, "
                    + "the first.")
        ],
        discussion: [
            "The section controller is asked first, then the programs of the list's owner that listen. The command "
                + "fails if none of them handled the action.",
            FieldWords.discussion,
        ])

    private let name: String
    private let id: String
    private let action: String
    private let parameters: Content
    private let item: UInt32

    init(_ invocation: Invocation) throws(UsageError) {
        name = invocation.operand("NAME")
        id = invocation.operand("ID")
        action = invocation.operand("ACTION")
        parameters = try FieldWords.content(of: invocation.operands("KEY=VALUE"))
        item = UInt32(try invocation.number(of: "item", in: 0...Int(UInt32.max)) ?? 0)
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let view = try await ListViewClient.open(
                try await daemon.adapter(name), options: ["layout": .string("none")]
            ) { _ in }
            let isHandled = try await view.object.call(
                "Invoke", id, item, action, parameters, returning: Bool.self)
            await view.close()
            if context.json {
                Output.writeJSON(["handled": .boolean(isHandled)])
            } else if !isHandled {
                Output.printMessage("nobody handles the action “\(action)” on the object “\(id)”")
            }
            return isHandled ? .done : .failed
        }
    }
}
