// SPDX-License-Identifier: Apache-2.0

/// A place that breaks a rule.
struct Finding {
    let path: String
    let line: Int
    /// The rule and what breaks it, as a line of the exceptions names it: `state ListKit.ListAdapter.revision`.
    let key: String
    /// What is wrong, and what to do.
    let message: String
    var notes: [String] = []

    var text: String {
        (["\(path):\(line): \(message)"] + notes.map { "    \($0)" }).joined(separator: "\n")
    }

    /// The first word of the key.
    var rule: Substring { key.prefix { $0 != " " } }
}
