// SPDX-License-Identifier: Apache-2.0

/// The syntax of a command, for the parser, help, completion and the manual.
struct CommandSyntax: Sendable {
    /// The word that chooses the command.
    let name: String
    /// Its group in the help.
    let group: Group
    /// What it does, in one sentence.
    let summary: String
    /// Its operands, in order.
    var operands: [Operand] = []
    /// Its options besides those of every command.
    var options: [Option] = []
    /// More about it: paragraphs of one line each, in plain text.
    var discussion: [String] = []

    /// A heading of help and of the manual.
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
        /// Its placeholder in a synopsis, in capitals.
        let name: String
        var arity = Arity.one
        var completion = Completion.nothing

        /// The number of words that it takes.
        enum Arity: Sendable { case one, optional, any, atLeastOne }
    }

    /// A word with leading dashes.
    struct Option: Sendable {
        /// Its name without the dashes.
        let name: String
        /// The placeholder of its value in a synopsis; `nil` for a flag.
        var value: String?
        /// What it does, in one sentence.
        let summary: String
        var completion = Completion.nothing
    }

    /// The completions that a shell offers for a word.
    enum Completion: Equatable, Sendable {
        case nothing
        case file
        /// The names of the lists that listd has.
        case list
        /// The names of the loaded plugins.
        case plugin
        /// `KEY=` of each option of a list.
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

    /// The command with its operands and options, as `push [--replace] NAME FILE`.
    var synopsis: String {
        let options = options.map { $0.value == nil ? "[--\($0.name)]" : "[--\($0.name) \($0.value ?? "")]" }
        return ([name] + options + operands.map(\.synopsis)).joined(separator: " ")
    }
}

extension CommandSyntax.Operand {
    /// The operand with its number of repetitions.
    var synopsis: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)...]"
        case .atLeastOne: "\(name)..."
        }
    }

    /// The name of an existing list.
    static let list = Self(name: "NAME", completion: .list)
}
