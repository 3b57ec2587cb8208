// SPDX-License-Identifier: Apache-2.0

/// A place that breaks a rule.
struct Finding {
    let path: String
    let line: Int
    /// The rule and the declaration that breaks it, as in the file of exceptions: `state ListKit.ListAdapter.revision`.
    let key: String
    /// The description of the fault and of its remedy.
    let message: String
    var notes: [String] = []

    var text: String {
        (["\(path):\(line): \(message)"] + notes.map { "    \($0)" }).joined(separator: "\n")
    }

    /// The name of the rule, which is the first word of the key.
    var rule: Substring { key.prefix { $0 != " " } }
}
