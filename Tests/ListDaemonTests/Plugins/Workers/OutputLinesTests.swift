// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Splitting a worker's output into lines")
struct OutputLinesTests {
    private func lines(_ parts: [[UInt8]], greatestLength: Int = 100) -> [String] {
        var lines = OutputLines(greatestLength: greatestLength)
        var found: [String] = []
        let add = { (line: [UInt8]) in found.append(String(decoding: line, as: UTF8.self)) }
        for part in parts { lines.append(part[...], add) }
        lines.finish(add)
        lines.finish(add)
        return found
    }

    @Test("a text arrives in pieces of any size → its non-empty lines are the same, even a last line without a newline")
    func pieces() {
        let text = Array("one\n\ntwo ü\nthree".utf8)
        for size in 1...text.count {
            let parts = stride(from: 0, to: text.count, by: size).map { Array(text[$0..<min($0 + size, text.count)]) }
            #expect(lines(parts) == ["one", "two ü", "three"], "pieces of \(size) bytes")
        }
    }

    @Test(
        "a line exceeds the length limit, in any pieces → only its beginning is returned, and the next line is complete"
    )
    func cut() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        #expect(lines([long, long, Array("\nnext\n".utf8)], greatestLength: 4) == ["xxxx", "next"])
        #expect(lines([[], long], greatestLength: 4) == ["xxxx"])
    }

    @Test("a line for the log is too long → it ends in “…”; invalid bytes and control characters are escaped")
    func text() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: PluginLogger.greatestLength + 1)
        #expect(WorkerOutput.text(of: long).last == "…")
        #expect(WorkerOutput.text(of: Array("a\u{1B}[2J\0".utf8) + [0xFF]) == "a\\x1b[2J\\x00\u{FFFD}")
    }
}
