// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import ListProtocol

extension Command {
    /// `help`: prints help on all commands, or on one command.
    static let help = Command(
        name: "help", group: .other, summary: "Print help on a command, or on all.",
        operands: [.init(name: "COMMAND", arity: .optional, completion: .words([]))],
        options: [
            .init(name: "manual", summary: "Print the commands as the manual page has them, in the format of scdoc(5).")
        ]
    ) { invocation throws(UsageError) in
        let name = invocation.operands("COMMAND").first
        let topic = name.flatMap { named($0) }
        let isManual = invocation.has("manual")
        if let name, topic == nil { throw UsageError(message: "unknown command \(name)") }
        return { _ throws(DBusError) in
            Output.write(isManual ? manual : topic?.helpText ?? overview)
            return .done
        }
    }

    /// `version`: prints the program's version.
    static let version = Command(name: "version", group: .other, summary: "Print the version.") { _ in
        return { context throws(DBusError) in
            context.print("listctl \(Version.text)", json: ["version": .string(Version.text)])
            return .done
        }
    }

    /// `completion`: prints the completion script for a shell.
    static let completion = Command(
        name: "completion", group: .other, summary: "Print what a shell reads to complete listctl's words.",
        operands: [.init(name: "SHELL", completion: .words(CompletingShell.allCases.map(\.rawValue)))],
        discussion: ["SHELL is bash, zsh or fish. The packages install the scripts for all three."]
    ) { invocation throws(UsageError) in
        let name = invocation.operand("SHELL")
        guard let shell = CompletingShell(rawValue: name) else {
            throw UsageError(message: "completion takes bash, zsh or fish, not \(name)")
        }
        return { _ throws(DBusError) in
            Output.write(shell.script)
            return .done
        }
    }

    /// `complete`: prints the completions of the last of the given words.
    static let complete = Command(
        name: "complete", group: .other,
        summary: "Print the possible completions of the last of some words, for shells.",
        operands: [.init(name: "WORD", arity: .any)],
        discussion: ["Give the words after “--”. The line “:file” means that the names of files complete the word."]
    ) { invocation in
        let words = invocation.operands("WORD")
        return { context throws(DBusError) in
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
    }

    /// Prints the names that can be completed: those on one line, without control characters, that do not look like an
    /// option.
    @DBusActor
    private static func printNames(
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

// Help on the commands, as text of at most 80 columns.
extension Command {
    /// The list of all commands by group, with the options that every command takes.
    static let overview: String = {
        var lines = ["usage: listctl [OPTION...] COMMAND [WORD...]"]
        let width = all.map(\.name.count).max() ?? 0
        for group in Group.allCases {
            lines += ["", group.rawValue + ":"]
            for command in all where command.group == group {
                lines += entry(command.name, command.summary, width: width)
            }
        }
        lines += ["", "Options of every command:"] + entries(common)
        lines += ["", "“listctl help COMMAND” says more about one, listctl(1) about all."]
        return lines.joined(separator: "\n") + "\n"
    }()

    /// The help on this command.
    var helpText: String {
        var lines = ["usage: listctl \(synopsis)", ""] + Self.wrapped(summary, indent: 0)
        for paragraph in discussion { lines += [""] + Self.wrapped(paragraph, indent: 0) }
        if !options.isEmpty { lines += ["", "Options:"] + Self.entries(options) }
        lines += ["", "Options of every command: " + Self.common.map { "--\($0.name)" }.joined(separator: ", ")]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func entries(_ options: [Option]) -> [String] {
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

extension Command {
    /// The list of commands in listctl(1), in the format of scdoc(5): all commands with their options. Each group of
    /// commands has a heading.
    private static let manual: String = {
        var text = ""
        for group in Group.allCases {
            text += "## \(group.rawValue)\n\n"
            for command in all where command.group == group {
                text += command.manualHeading + "\n\t" + command.manualParagraphs.joined(separator: "\n\n\t") + "\n\n"
            }
        }
        return text
    }()

    private var manualHeading: String {
        let options = options.map { option in
            "[*--\(option.name)*" + (option.value.map { " _\(Self.escaped($0))_" } ?? "") + "]"
        }
        let operands = operands.map { operand in
            let name = "_\(Self.escaped(operand.name))_"
            return switch operand.arity {
            case .one: name
            case .optional: "[\(name)]"
            case .any: "[\(name)...]"
            case .atLeastOne: "\(name)..."
            }
        }
        return (["*\(name)*"] + options + operands).joined(separator: " ")
    }

    private var manualParagraphs: [String] {
        let options = options.map { option in
            "*--\(option.name)*" + (option.value.map { " _\(Self.escaped($0))_" } ?? "") + ": "
                + Self.escaped(option.summary)
        }
        return ([summary] + discussion).map(Self.escaped) + options
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

/// An unfinished command line, with the completions of its last word.
struct CompletedWords {
    /// The completions of the last word.
    private(set) var completion = Command.Completion.nothing
    /// The bus that the words before the last one name.
    private(set) var bus: Request.Bus?

    /// - Parameter words: the words after `listctl`. The last one is unfinished, and may be empty.
    init(_ words: [String]) {
        var before = words.dropLast()[...]
        let current = words.last ?? ""
        var (command, operands): (Command?, Int) = (nil, 0)
        var all = Command.common + Command.all.flatMap(\.options)
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
                command = Command.named(word)
                guard let command else { return }
                all = Command.common + command.options
            } else {
                operands += 1
            }
        }
        if current.hasPrefix("-"), !isLiteral {
            completion = .words(((command?.options ?? []) + Command.common).map { "--" + $0.name })
        } else if let command {
            completion = Self.completion(ofOperand: operands, of: command)
        } else {
            completion = .words(Command.all.map(\.name))
        }
    }

    private static func completion(ofOperand place: Int, of command: Command) -> Command.Completion {
        if command.name == Command.help.name {
            return place == 0 ? .words(Command.all.map(\.name)) : .nothing
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

/// A shell that can complete listctl's words.
enum CompletingShell: String, CaseIterable {
    case bash, zsh, fish

    /// The script that makes the shell do so. It calls `listctl complete`.
    var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    private static let bashScript = #"""
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

    private static let zshScript = #"""
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

    private static let fishScript = #"""
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
