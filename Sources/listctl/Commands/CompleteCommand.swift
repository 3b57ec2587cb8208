// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// `complete`: prints the completions of the last of the given words.
struct CompleteCommand: Command {
    static let syntax = CommandSyntax(
        name: "complete", group: .other,
        summary: "Print the possible completions of the last of some words, for shells.",
        operands: [.init(name: "WORD", arity: .any)],
        discussion: ["Give the words after “--”. The line “:file” means that the names of files complete the word."])

    private let words: [String]

    init(_ invocation: Invocation) { words = invocation.operands("WORD") }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        let given = CompletedWords(words)
        switch given.completion {
        case .nothing: break
        case .file: Output.writeLine(":file")
        case .words(let words): for word in words { Output.writeLine(word) }
        case .listOption: for key in AdapterOptionText.keys { Output.writeLine(key + "=") }
        case .list:
            try await printNames(
                of: { daemon throws(DBusError) in try await daemon.adapters().map(\.name) }, completing: given,
                in: context)
        case .plugin:
            try await printNames(
                of: { daemon throws(DBusError) in try await daemon.plugins().map(\.name) }, completing: given,
                in: context)
        }
        return .done
    }

    /// Prints the names that can be completed: those on one line, without control characters, that do not look like an
    /// option.
    @DBusActor
    private func printNames(
        of names: @DBusActor (ListDaemonClient) async throws(DBusError) -> [String], completing given: CompletedWords,
        in context: CommandContext
    ) async throws(DBusError) {
        let bus = given.bus ?? context.bus
        let context = CommandContext(bus: bus, json: false, style: context.style)
        for name in try await context.withDaemon(names)
        where !name.hasPrefix("-") && !name.unicodeScalars.contains(where: DisplayText.controlsTerminal) {
            Output.writeLine(name)
        }
    }
}

/// An unfinished command line, with the completions of its last word.
struct CompletedWords {
    /// The completions of the last word.
    private(set) var completion = CommandSyntax.Completion.nothing
    /// The bus that the words before the last one name.
    private(set) var bus: Request.Bus?

    /// - Parameter words: the words after `listctl`. The last one is unfinished, and may be empty.
    init(_ words: [String]) {
        var before = words.dropLast()[...]
        let current = words.last ?? ""
        var (command, operands): (CommandSyntax?, Int) = (nil, 0)
        var all = CommandSyntax.common + CommandTable.all.flatMap { $0.syntax.options }
        var isLiteral = false
        while let word = before.popFirst() {
            if !isLiteral, word == "--" { isLiteral = true; continue }
            if !isLiteral, word.hasPrefix("-"), word != "-" {
                guard let option = all.first(where: { "--" + $0.name == word }), option.value != nil else { continue }
                guard let value = before.popFirst() else {
                    completion = option.completion
                    return
                }
                if option.name == "bus" { bus = Self.bus(value) }
            } else if command == nil {
                command = CommandTable.command(named: word)?.syntax
                guard let command else { return }
                all = CommandSyntax.common + command.options
            } else {
                operands += 1
            }
        }
        if current.hasPrefix("-"), !isLiteral {
            completion = .words(((command?.options ?? []) + CommandSyntax.common).map { "--" + $0.name })
        } else if let command {
            completion = Self.completion(ofOperand: operands, of: command)
        } else {
            completion = .words(CommandTable.all.map { $0.syntax.name })
        }
    }

    private static func completion(ofOperand place: Int, of command: CommandSyntax) -> CommandSyntax.Completion {
        if command.name == HelpCommand.syntax.name {
            return place == 0 ? .words(CommandTable.all.map { $0.syntax.name }) : .nothing
        }
        if place < command.operands.count { return command.operands[place].completion }
        guard let last = command.operands.last else { return .nothing }
        return switch last.arity {
        case .any, .atLeastOne: last.completion
        case .one, .optional: .nothing
        }
    }

    private static func bus(_ word: String) -> Request.Bus? {
        switch word {
        case "system": .system
        case "session": .session
        default: word.contains(":") ? .address(word) : nil
        }
    }
}
