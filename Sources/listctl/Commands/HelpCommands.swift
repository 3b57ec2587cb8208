// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import ListProtocol

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

/// Help on the commands as text of at most 80 columns.
enum HelpText {
    /// The list of all commands by group, with the options that every command takes.
    static let overview: String = {
        var lines = ["usage: listctl [OPTION...] COMMAND [WORD...]"]
        let width = CommandTable.all.map { $0.syntax.name.count }.max() ?? 0
        for group in CommandSyntax.Group.allCases {
            lines += ["", group.rawValue + ":"]
            for syntax in CommandTable.all.map({ $0.syntax }) where syntax.group == group {
                lines += entry(syntax.name, syntax.summary, width: width)
            }
        }
        lines += ["", "Options of every command:"] + entries(CommandSyntax.common)
        lines += ["", "“listctl help COMMAND” says more about one, listctl(1) about all."]
        return lines.joined(separator: "\n") + "\n"
    }()

    /// Returns the help on one command.
    static func text(_ syntax: CommandSyntax) -> String {
        var lines = ["usage: listctl \(syntax.synopsis)", ""] + wrapped(syntax.summary, indent: 0)
        for paragraph in syntax.discussion { lines += [""] + wrapped(paragraph, indent: 0) }
        if !syntax.options.isEmpty { lines += ["", "Options:"] + entries(syntax.options) }
        lines += [
            "", "Options of every command: " + CommandSyntax.common.map { "--\($0.name)" }.joined(separator: ", "),
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func entries(_ options: [CommandSyntax.Option]) -> [String] {
        let names = options.map { "--\($0.name)" + ($0.value.map { " " + $0 } ?? "") }
        let width = names.map(\.count).max() ?? 0
        return zip(names, options).flatMap { entry($0, $1.summary, width: width) }
    }

    private static func entry(_ name: String, _ summary: String, width: Int) -> [String] {
        var lines = wrapped(summary, indent: width + 4)
        guard !lines.isEmpty else { return ["  " + name] }
        lines[0] = "  " + DisplayText.fitted(name, to: width) + "  " + lines[0].drop { $0 == " " }
        return lines
    }

    /// Returns the text as indented lines of at most 80 columns.
    private static func wrapped(_ text: String, indent: Int) -> [String] {
        let blanks = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > 80 {
                lines.append(blanks + line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [blanks + line]
    }
}

/// The list of commands in listctl(1), in the format of scdoc(5).
enum ManualText {
    /// All commands with their options. Each group of commands has a heading.
    static let commands: String = {
        var text = ""
        for group in CommandSyntax.Group.allCases {
            text += "## \(group.rawValue)\n\n"
            for syntax in CommandTable.all.map({ $0.syntax }) where syntax.group == group {
                text += heading(of: syntax) + "\n\t" + paragraphs(of: syntax).joined(separator: "\n\n\t") + "\n\n"
            }
        }
        return text
    }()

    private static func heading(of syntax: CommandSyntax) -> String {
        let options = syntax.options.map { option in
            "[*--\(option.name)*" + (option.value.map { " _\(escaped($0))_" } ?? "") + "]"
        }
        let operands = syntax.operands.map { operand in
            let name = "_\(escaped(operand.name))_"
            return switch operand.arity {
            case .one: name
            case .optional: "[\(name)]"
            case .any: "[\(name)...]"
            case .atLeastOne: "\(name)..."
            }
        }
        return (["*\(syntax.name)*"] + options + operands).joined(separator: " ")
    }

    private static func paragraphs(of syntax: CommandSyntax) -> [String] {
        let options = syntax.options.map { option in
            "*--\(option.name)*" + (option.value.map { " _\(escaped($0))_" } ?? "") + ": " + escaped(option.summary)
        }
        return ([syntax.summary] + syntax.discussion).map(escaped) + options
    }

    /// Returns the text with scdoc's markup characters escaped.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            if "*_\\~[#".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }
}

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

/// The script that makes a shell complete listctl's words. It calls `listctl complete`.
enum CompletionScript {
    /// A shell for which there is a script.
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private static let bash = #"""
        # bash completion for listctl, as "listctl completion bash" prints it          -*- shell-script -*-
        _listctl() {
            local current=${COMP_WORDS[COMP_CWORD]} candidate quoted
            COMPREPLY=()
            while IFS= read -r candidate; do
                if [[ $candidate == :file ]]; then
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                    compopt -o filenames
                    return
                fi
                printf -v quoted %q "$candidate"
                [[ $candidate != "$current"* && $quoted != "$current"* ]] || COMPREPLY+=("$quoted")
            done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
            [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
        }
        complete -F _listctl listctl

        """#

    private static let zsh = #"""
        #compdef listctl
        # zsh completion for listctl, as "listctl completion zsh" prints it
        local -a candidates
        candidates=("${(@f)$(_call_program candidates listctl complete -- ${(q)words[2,CURRENT]} 2>/dev/null)}")
        case ${candidates[1]} in
            :file) _files ;;
            *=) compadd -S '' -- "${candidates[@]}" ;;
            ?*) compadd -- "${candidates[@]}" ;;
        esac

        """#

    private static let fish = #"""
        # fish completion for listctl, as "listctl completion fish" prints it
        function __listctl_candidates
            set -l candidates (listctl complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
            if test "$candidates[1]" = ":file"
                __fish_complete_path (commandline -ct)
            else
                printf '%s\n' $candidates
            end
        end
        complete -c listctl -f -a '(__listctl_candidates)'

        """#
}
