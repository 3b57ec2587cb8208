// SPDX-License-Identifier: Apache-2.0

/// The mapping of reuse identifiers to colours.
///
/// Kinds of files have the colours of ls(1). Identifiers that begin with a word for an error are red, for a warning
/// yellow. The colour of any other identifier depends on its hash.
enum ReuseColor {
    static func style(of identifier: String) -> Style {
        let word = identifier.lowercased()
        switch word {
        case "", "single", "file", "item", "default", "cell": return .plain
        case "directory", "folder": return .role(.accent(.blue), bold: true)
        case "link", "symlink": return .role(.accent(.cyan))
        case "socket": return .role(.accent(.magenta))
        case "pipe", "device": return .role(.accent(.yellow))
        default: break
        }
        if word.hasPrefix("err") || word.hasPrefix("crit") || word.hasPrefix("fail") { return .role(.accent(.red)) }
        if word.hasPrefix("warn") { return .role(.accent(.yellow)) }
        let quiet: [Style.Accent] = [.cyan, .green, .magenta, .blue]
        // FNV-1a, because Swift's own hash differs in each run.
        let hash = identifier.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return .role(.accent(quiet[Int(hash % UInt32(quiet.count))]))
    }
}
