// SPDX-License-Identifier: Apache-2.0

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
