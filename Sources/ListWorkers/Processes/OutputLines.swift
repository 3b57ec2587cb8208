// SPDX-License-Identifier: Apache-2.0

/// Takes what a process writes apart into lines, and keeps no more of a line than a log shows.
struct OutputLines {
    /// The most bytes that are kept of a line.
    private let greatestLength: Int
    private var line: [UInt8] = []

    /// Makes a splitter that has seen nothing.
    init(greatestLength: Int) {
        self.greatestLength = greatestLength
    }

    /// Takes the next bytes; hands over the lines that end in them, but for empty ones.
    mutating func append(_ bytes: ArraySlice<UInt8>, _ body: ([UInt8]) -> Void) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            keep(rest[..<end])
            finish(body)
            rest = rest[(end + 1)...]
        }
        keep(rest)
    }

    /// Hands over the last line if it has no line feed.
    mutating func finish(_ body: ([UInt8]) -> Void) {
        guard !line.isEmpty else { return }
        body(line)
        line.removeAll(keepingCapacity: true)
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) { line += bytes.prefix(greatestLength - line.count) }
}
