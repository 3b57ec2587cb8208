// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// What every command gets besides its own operands and options: the bus and the format of its output.
@DBusActor
struct CommandContext {
    /// The bus to search for listd.
    let bus: Request.Bus
    /// Whether the command prints JSON.
    let json: Bool
    /// The style of text on standard output.
    let style: TextStyle

    /// Returns the address of the bus that the command line names.
    func address() async throws(DBusError) -> BusAddress { try await bus.address() }

    /// Connects to listd, calls `body`, and closes the connection.
    func withDaemon<Result: Sendable>(
        _ body: @DBusActor (ListDaemonClient) async throws(DBusError) -> Result
    ) async throws(DBusError) -> Result {
        let address = try await address()
        let daemon = ListDaemonClient(connection: try await address.connect())
        defer { daemon.connection.close() }
        if daemon.connection.isBus {
            try await DaemonActivation(connection: daemon.connection, isOfUser: address == .session).awaitStart()
        }
        return try await body(daemon)
    }

    /// Prints one result, as a JSON object or as a line of text.
    func print(_ line: @autoclosure () -> String, json members: @autoclosure () -> [String: DBusValue]) {
        if json { Output.writeJSON(members()) } else { Output.writeLine(DisplayText.sanitized(line())) }
    }
}

/// A command of listctl: its syntax, from which the parser, help, completion and the manual page follow, and what it does.
///
/// To add a command, make a constant in an extension of this type, and add it to ``all``.
struct Command: Sendable {
    /// The word that selects the command.
    let name: String
    /// The group of commands under which help lists the command.
    let group: Group
    /// What the command does, in one sentence.
    let summary: String
    /// The operands, in order.
    var operands: [Operand] = []
    /// The options, without those that every command takes.
    var options: [Option] = []
    /// The paragraphs of help after the summary, in plain text. Each paragraph is a single line.
    var discussion: [String] = []
    /// Returns what to do for the operands and options of a command line.
    ///
    /// It throws a `UsageError` for a value that the syntax cannot exclude.
    let prepare: @Sendable (Invocation) throws(UsageError) -> Action

    /// What a command does when it runs. It returns the exit code.
    typealias Action = @DBusActor (CommandContext) async throws(DBusError) -> ExitCode

    /// All commands, in the order in which help lists them.
    static let all: [Command] = [
        .list, .show, .view, .watch, .filter, .monitor, .top,
        .push, .append, .patch, .move, .delete, .invoke,
        .create, .rename, .remove,
        .statistics, .clients, .reload, .check, .losses, .backup, .restore,
        .plugins, .load, .unload, .newPlugin,
        .help, .completion, .complete, .version,
    ]

    static func named(_ name: String) -> Command? { all.first { $0.name == name } }

    /// A group of commands. The raw value is its heading in help and in the manual page.
    enum Group: String, CaseIterable, Sendable {
        case looking = "Look at lists"
        case writing = "Change lists"
        case managing = "Make and remove lists"
        case daemon = "The daemon"
        case plugins = "Plugins"
        case other = "Other"
    }

    /// An operand of a command.
    struct Operand: Sendable {
        /// The placeholder in a synopsis, in capitals.
        let name: String
        var arity = Arity.one
        var completion = Completion.nothing

        /// The number of words that an operand takes.
        enum Arity: Sendable { case one, optional, any, atLeastOne }
    }

    /// An option of a command: a word with two leading dashes.
    struct Option: Sendable {
        /// The name without the dashes.
        let name: String
        /// The placeholder of the value in a synopsis; `nil` for a flag.
        var value: String?
        /// What the option does, in one sentence.
        let summary: String
        var completion = Completion.nothing
    }

    /// The completions that a shell offers for a word.
    enum Completion: Equatable, Sendable {
        case nothing
        case file
        /// The names of the existing lists.
        case list
        /// The names of the loaded plugins.
        case plugin
        /// `KEY=` for each option of a list.
        case listOption
        case words([String])
    }

    /// The options that every command takes.
    static let common = [
        Option(
            name: "bus", value: "BUS",
            summary:
                "Where listd is: system, session or a D-Bus address. Without it: the session bus when listd is there, "
                + "else the system bus.",
            completion: .words(["system", "session", "unix:path="])),
        Option(name: "json", summary: "Print JSON, one value a line."),
        Option(
            name: "color", value: "WHEN",
            summary: "Use colors: auto (on a terminal, unless NO_COLOR is set), always or never.",
            completion: .words(["auto", "always", "never"])),
        Option(name: "help", summary: "Print help on the command, or on all, and exit."),
        Option(name: "version", summary: "Print the version and exit."),
    ]

    /// The command with its operands and options, such as `push [--replace] NAME FILE`.
    var synopsis: String {
        let options = options.map { $0.value == nil ? "[--\($0.name)]" : "[--\($0.name) \($0.value ?? "")]" }
        return ([name] + options + operands.map(\.synopsis)).joined(separator: " ")
    }
}

extension Command.Operand {
    /// The placeholder with brackets and dots that show how many words the operand takes.
    var synopsis: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)...]"
        case .atLeastOne: "\(name)..."
        }
    }

    /// The operand for the name of an existing list.
    static let list = Self(name: "NAME", completion: .list)
}

/// A parsed command line: a command, and the options that every command takes.
struct Request {
    /// The bus to search for listd.
    enum Bus: Equatable {
        /// The session bus if listd is there, else the system bus.
        case automatic
        case session
        case system
        case address(String)
    }

    let command: Command
    let bus: Bus
    let json: Bool
    let color: TextStyle.Choice
    private let action: Command.Action

    /// Parses the words after the program's name.
    init(parsing words: [String]) throws(UsageError) {
        var words = try CommandLineWord.read(words, options: Command.common + Command.all.flatMap(\.options))
        let asksForHelp = words.contains(.option("help", value: nil))
        if words.contains(.option("version", value: nil)) {
            try self.init(.version, [])
            return
        }
        let place = words.firstIndex { if case .operand = $0 { true } else { false } }
        guard let place, case .operand(let name) = words[place] else {
            guard asksForHelp else { throw UsageError(message: "no command") }
            try self.init(.help, [])
            return
        }
        guard let command = Command.named(name) else { throw UsageError(message: "unknown command \(name)") }
        if asksForHelp {
            try self.init(.help, [.operand(name)])
            return
        }
        words.remove(at: place)
        do throws(UsageError) {
            try self.init(command, words)
        } catch {
            throw UsageError(message: error.message, command: error.command ?? name)
        }
    }

    private init(_ command: Command, _ words: [CommandLineWord]) throws(UsageError) {
        self.command = command
        let invocation = try Invocation(words, of: command)
        action = try command.prepare(invocation)
        bus = try invocation.value(of: "bus").map(Self.bus) ?? .automatic
        json = invocation.has("json")
        color = try invocation.value(of: "color").map(TextStyle.Choice.init) ?? .automatic
    }

    private static func bus(_ text: String) throws(UsageError) -> Bus {
        switch text {
        case "system": return .system
        case "session": return .session
        case let address where address.contains(":"): return .address(address)
        default: throw UsageError(message: "--bus takes system, session or an address, not \(text)")
        }
    }
}

extension Request {
    /// Returns the words after the program's name.
    ///
    /// - Throws: a `UsageError` for a word that is not UTF-8. Swift would replace characters in it, so that the word
    ///   would name another list or file.
    static func commandLineWords() throws(UsageError) -> [String] {
        var words: [String] = []
        for position in 1..<max(1, Int(CommandLine.argc)) {
            // The argument vector and its texts live as long as the process; Swift copies the text.
            guard let bytes = unsafe CommandLine.unsafeArgv[position] else { break }
            guard let word = unsafe String(validatingCString: bytes) else {
                let shown = unsafe String(cString: bytes)
                throw UsageError(message: "argument \(position) is not UTF-8: \(shown)")
            }
            words.append(word)
        }
        return words
    }
}

extension Request {
    /// Runs the command; prints its error, and returns its exit code.
    @DBusActor
    func run() async -> ExitCode {
        let context = CommandContext(bus: bus, json: json, style: TextStyle(color))
        do throws(DBusError) {
            return try await action(context)
        } catch {
            Output.printMessage(advice(for: error) ?? error.explanation)
            return Self.exitCode(of: error)
        }
    }

    /// Returns a message that says how to start listd when it was not found. The result is nil for other errors, and
    /// when the command line names the address of a bus.
    private func advice(for error: DBusError) -> String? {
        guard error.isDaemonMissing else { return nil }
        let own = "start your own listd with “listd --bus session &”"
        let service = "start the system's listd with “systemctl start listd”"
        let delay = "a listd that has just been started takes a moment"
        return switch bus {
        case .automatic:
            "listd is neither on the session bus nor on the system bus (\(error.message)); \(own), or "
                + "\(service); \(delay)"
        case .session:
            "listd is not on the session bus (\(error.message)); \(own); \(delay)"
        case .system: "listd is not on the system bus (\(error.message)); \(service)"
        case .address: nil
        }
    }

    @DBusActor
    private static func exitCode(of error: DBusError) -> ExitCode {
        if error.name == InputFile.notReadable { return .noInput }
        let isMissing =
            error.isDaemonMissing || error.standard == .noReply || error.name == DaemonActivation.startFailed
        return isMissing ? .unavailable : .failed
    }
}

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
    init(_ words: [CommandLineWord], of command: Command) throws(UsageError) {
        var (flags, values) = (Set<String>(), [String: [String]]())
        var plain: [String] = []
        for word in words {
            switch word {
            case .operand(let text): plain.append(text)
            case .option(let name, let value):
                guard (command.options + Command.common).contains(where: { $0.name == name }) else {
                    throw UsageError(message: "\(command.name) has no option --\(name)", command: command.name)
                }
                if let value { values[name, default: []].append(value) } else { flags.insert(name) }
            }
        }
        operands = try Self.assignWords(plain, toOperandsOf: command)
        (self.flags, self.values) = (flags, values)
    }

    private static func assignWords(_ words: [String], toOperandsOf command: Command) throws(UsageError)
        -> [String: [String]]
    {
        var rest = words[...]
        var operands: [String: [String]] = [:]
        for operand in command.operands {
            switch operand.arity {
            case .one, .atLeastOne:
                guard let word = rest.popFirst() else {
                    throw UsageError(message: "\(command.name) lacks \(operand.name)", command: command.name)
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
            command.operands.isEmpty
            ? "\(command.name) takes no operand, not even \(surplus)"
            : "\(command.name) takes no further word: \(surplus)"
        throw UsageError(message: message, command: command.name)
    }
}

/// A word of a command line.
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
        _ words: [String], options: [Command.Option]
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
        return Command.named(name)?.name
    }
}
