// SPDX-License-Identifier: Apache-2.0

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
