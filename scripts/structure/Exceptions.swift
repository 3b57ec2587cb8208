// SPDX-License-Identifier: Apache-2.0

/// The exceptions from the rules: lines `KEY: reason` of one file. Each must have a reason and be needed.
struct Exceptions {
    private let path: String
    private let lines: [String: Int]
    private let faults: [Finding]

    /// - Parameter text: the text of the file. `#` begins a comment.
    init(_ text: String, path: String) {
        self.path = path
        var lines: [String: Int] = [:], faults: [Finding] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let first = line.first, first != "#" else { continue }
            func addFault(_ message: String) {
                faults.append(Finding(path: path, line: index + 1, key: "exceptions", message: message))
            }
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.split(separator: " ").joined(separator: " ") }
            guard parts.count == 2, !parts[1].isEmpty else {
                addFault("an exception without its reason; write `KEY: reason`")
                continue
            }
            if lines.updateValue(index + 1, forKey: parts[0]) != nil {
                addFault("the exception `\(parts[0])` occurs twice; remove one")
            }
        }
        self.lines = lines
        self.faults = faults
    }

    var keys: Set<String> { Set(lines.keys) }

    /// Returns the findings that no exception covers, and findings about the exceptions themselves.
    ///
    /// - Parameter used: the keys of exceptions that were needed although no finding has their key.
    func apply(to findings: [Finding], used: Set<String>) -> [Finding] {
        let needed = used.union(findings.map(\.key))
        let unneeded = lines.filter { !needed.contains($0.key) }.map {
            Finding(
                path: path, line: $0.value, key: "exceptions",
                message: "the exception `\($0.key)` is not needed any more; remove the line")
        }
        return findings.filter { lines[$0.key] == nil } + faults + unneeded
    }
}
