// SPDX-License-Identifier: Apache-2.0

import DBus

/// `help`: prints help on all commands, or on one command.
struct HelpCommand: Command {
    static let syntax = CommandSyntax(
        name: "help", group: .other, summary: "Print help on a command, or on all.",
        operands: [.init(name: "COMMAND", arity: .optional, completion: .words([]))],
        options: [
            .init(name: "manual", summary: "Print the commands as the manual page has them, in the format of scdoc(5).")
        ])

    private let topic: CommandSyntax?
    private let isManual: Bool

    init(topic: CommandSyntax?) {
        self.topic = topic
        isManual = false
    }

    init(_ invocation: Invocation) throws(UsageError) {
        let names = invocation.operands("COMMAND")
        topic = names.first.flatMap { CommandTable.command(named: $0)?.syntax }
        isManual = invocation.has("manual")
        if let name = names.first, topic == nil { throw UsageError(message: "unknown command \(name)") }
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        if isManual {
            Output.write(ManualText.commands)
        } else {
            Output.write(topic.map(HelpText.text) ?? HelpText.overview)
        }
        return .done
    }
}

/// `version`: prints the program's version.
struct VersionCommand: Command {
    static let syntax = CommandSyntax(name: "version", group: .other, summary: "Print the version.")

    init() {}

    init(_ invocation: Invocation) {}

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        context.print("listctl \(Version.text)", json: ["version": .string(Version.text)])
        return .done
    }
}

/// `completion`: prints the completion script for a shell.
struct CompletionCommand: Command {
    static let syntax = CommandSyntax(
        name: "completion", group: .other, summary: "Print what a shell reads to complete listctl's words.",
        operands: [.init(name: "SHELL", completion: .words(CompletionScript.Shell.allCases.map(\.rawValue)))],
        discussion: ["SHELL is bash, zsh or fish. The packages install the scripts for all three."])

    private let shell: CompletionScript.Shell

    init(_ invocation: Invocation) throws(UsageError) {
        let name = invocation.operand("SHELL")
        guard let shell = CompletionScript.Shell(rawValue: name) else {
            throw UsageError(message: "completion takes bash, zsh or fish, not \(name)")
        }
        self.shell = shell
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        Output.write(CompletionScript.text(for: shell))
        return .done
    }
}
