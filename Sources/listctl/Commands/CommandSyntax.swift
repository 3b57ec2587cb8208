// SPDX-License-Identifier: Apache-2.0

/// How a command is written: what the parser accepts, and what help, completion and the manual say.
struct CommandSyntax: Sendable {
    /// The word that chooses the command.
    let name: String
    /// Where help lists it.
    let group: Group
    /// What it does, in one sentence.
    let summary: String
    /// The words that it takes, in order.
    var operands: [Operand] = []
    /// The options that it takes besides those of every command.
    var options: [Option] = []
    /// What else is to be known: paragraphs of one line each, in plain text.
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

    /// A word that a command takes.
    struct Operand: Sendable {
        /// What stands for it in a synopsis, in capitals.
        let name: String
        var arity = Arity.one
        var completion = Completion.nothing

        /// How many words it takes.
        enum Arity: Sendable { case one, optional, any, atLeastOne }
    }

    /// A word with dashes in front.
    struct Option: Sendable {
        /// Its name without the dashes.
        let name: String
        /// What stands for its value in a synopsis; `nil` for a flag.
        var value: String?
        /// What it does, in one sentence.
        let summary: String
        var completion = Completion.nothing
    }

    /// What a shell offers for a word.
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

    /// The command with what it takes, as `push [--replace] NAME FILE`.
    var synopsis: String {
        let options = options.map { $0.value == nil ? "[--\($0.name)]" : "[--\($0.name) \($0.value ?? "")]" }
        return ([name] + options + operands.map(\.synopsis)).joined(separator: " ")
    }
}

extension CommandSyntax.Operand {
    /// The operand with how often it may stand.
    var synopsis: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)...]"
        case .atLeastOne: "\(name)..."
        }
    }

    /// The name of a list that is there.
    static let list = Self(name: "NAME", completion: .list)
}
