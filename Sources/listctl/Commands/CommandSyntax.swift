// SPDX-License-Identifier: Apache-2.0

/// The syntax of a command, for the parser, help, completion and the manual.
struct CommandSyntax: Sendable {
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

extension CommandSyntax.Operand {
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
