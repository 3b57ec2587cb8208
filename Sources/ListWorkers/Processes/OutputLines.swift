// SPDX-License-Identifier: Apache-2.0

/// A splitter of a process's output into lines, which truncates each line to the length that the log shows.
struct OutputLines {
    /// The maximum length of a line in bytes; the rest is dropped.
    private let greatestLength: Int
    private var line: [UInt8] = []

    /// Makes a splitter for new output.
    init(greatestLength: Int) {
        self.greatestLength = greatestLength
    }

    /// Appends the next bytes, and calls `body` with each line that is complete then, except for empty lines.
    mutating func append(_ bytes: ArraySlice<UInt8>, _ body: ([UInt8]) -> Void) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            appendToLine(rest[..<end])
            finish(body)
            rest = rest[(end + 1)...]
        }
        appendToLine(rest)
    }

    /// Calls `body` with the line so far, if it is not empty.
    mutating func finish(_ body: ([UInt8]) -> Void) {
        guard !line.isEmpty else { return }
        body(line)
        line.removeAll(keepingCapacity: true)
    }

    private mutating func appendToLine(_ bytes: ArraySlice<UInt8>) { line += bytes.prefix(greatestLength - line.count) }
}
