// SPDX-License-Identifier: Apache-2.0

/// The operands and options of one command line, by name.
struct Invocation: Equatable {
    private let operands: [String: [String]]
    private let flags: Set<String>
    private let values: [String: [String]]

    /// Returns the word of a required operand; empty if the syntax has no such operand.
    func operand(_ name: String) -> String { operands[name]?.first ?? "" }

    /// Returns all words of an operand.
    func operands(_ name: String) -> [String] { operands[name] ?? [] }

    /// Whether a flag, which is an option without a value, was given.
    func has(_ option: String) -> Bool { flags.contains(option) }

    /// Returns the value of an option; the last one if the option was given several times.
    func value(of option: String) -> String? { values[option]?.last }

    /// Returns all values of an option, in the order of the command line.
    func values(of option: String) -> [String] { values[option] ?? [] }

    /// Returns the value of an option that takes a whole number.
    func number(of option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(of: option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                message: "--\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
        }
        return number
    }
}

extension Invocation {
    /// Assigns the words of one command line to the command's operands and options.
    ///
    /// - Throws: a `UsageError` for an option that the command does not have, and for missing or surplus operands.
    init(
        _ words: [CommandLineWord], of syntax: CommandSyntax
    ) throws(UsageError) {
        var (flags, values) = (Set<String>(), [String: [String]]())
        var plain: [String] = []
        for word in words {
            switch word {
            case .operand(let text): plain.append(text)
            case .option(let name, let value):
                guard (syntax.options + CommandSyntax.common).contains(where: { $0.name == name }) else {
                    throw UsageError(message: "\(syntax.name) has no option --\(name)", command: syntax.name)
                }
                if let value { values[name, default: []].append(value) } else { flags.insert(name) }
            }
        }
        operands = try Self.assignWords(plain, toOperandsOf: syntax)
        (self.flags, self.values) = (flags, values)
    }

    private static func assignWords(_ words: [String], toOperandsOf syntax: CommandSyntax) throws(UsageError)
        -> [String: [String]]
    {
        var rest = words[...]
        var operands: [String: [String]] = [:]
        for operand in syntax.operands {
            switch operand.arity {
            case .one, .atLeastOne:
                guard let word = rest.popFirst() else {
                    throw UsageError(message: "\(syntax.name) lacks \(operand.name)", command: syntax.name)
                }
                operands[operand.name] = [word]
                if operand.arity == .atLeastOne {
                    operands[operand.name] = [word] + rest
                    rest = []
                }
            case .optional: operands[operand.name] = rest.popFirst().map { [$0] }
            case .any:
                operands[operand.name] = Array(rest)
                rest = []
            }
        }
        guard let surplus = rest.first else { return operands }
        let message =
            syntax.operands.isEmpty
            ? "\(syntax.name) takes no operand, not even \(surplus)"
            : "\(syntax.name) takes no further word: \(surplus)"
        throw UsageError(message: message, command: syntax.name)
    }
}

/// One word of a command line.
enum CommandLineWord: Equatable {
    case operand(String)
    case option(String, value: String?)

    /// Splits a command line into operands and options with their values.
    ///
    /// An option may be anywhere, also before the command. Its value is the next word, or follows `=`. After `--` all
    /// words are operands.
    ///
    /// - Parameter options: the options of all commands. Options with the same name must agree in whether they take a
    ///   value.
    static func read(
        _ words: [String], options: [CommandSyntax.Option]
    ) throws(UsageError) -> [CommandLineWord] {
        var result: [CommandLineWord] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" { return result + rest.map { .operand($0) } }
            guard word.hasPrefix("-"), word != "-" else {
                result.append(.operand(word))
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0] == "-h" ? "help" : String(parts[0].dropFirst(2))
            guard parts[0] == "-h" || word.hasPrefix("--"), let option = options.first(where: { $0.name == name })
            else {
                throw UsageError(message: "unknown option \(parts[0])", command: command(of: result))
            }
            if option.value == nil {
                guard parts.count == 1 else {
                    throw UsageError(message: "--\(name) takes no value", command: command(of: result))
                }
                result.append(.option(name, value: nil))
            } else {
                guard let value = parts.dropFirst().first ?? rest.popFirst() else {
                    throw UsageError(message: "--\(name) needs a value", command: command(of: result))
                }
                result.append(.option(name, value: value))
            }
        }
        return result
    }

    /// Returns the name of the command among the words; nil if the first operand names no command.
    private static func command(of words: [CommandLineWord]) -> String? {
        guard case .operand(let name)? = words.first(where: { if case .operand = $0 { true } else { false } }) else {
            return nil
        }
        return CommandTable.command(named: name)?.syntax.name
    }
}
