// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DBus

@Suite("Finding the end of authentication in received bytes")
struct HandshakeScannerTests {
    /// Returns the number of bytes after authentication; `nil` if it has not ended.
    private func bytesAfterBegin(in text: String) -> Int? {
        var scanner = HandshakeScanner()
        return scanner.consume(Array(text.utf8))
    }

    @Test("BEGIN on a line of its own → the bytes after BEGIN belong to messages")
    func lines() {
        #expect(bytesAfterBegin(in: "\0AUTH EXTERNAL 30\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n") == 0)
        #expect(bytesAfterBegin(in: "\0AUTH EXTERNAL 30\r\nBEGIN\r\nl\u{1}\u{0}\u{1}") == 4)
        #expect(bytesAfterBegin(in: "\0BEGIN now\r\nBEGIN\r\n") == 7)
        #expect(bytesAfterBegin(in: "\0AUTH EXTERNAL 30\r\nBEGIN\r\n\r\nBEGIN\r\n") == 9)
    }

    @Test(
        "no BEGIN, or an incomplete one → authentication has not ended",
        arguments: [
            "", "\0", "\0BEGIN", "\0BEGIN\r", "\0BEGIN\n", "\0BEGINNING\r\n", "\0AUTH BEGIN\r\n", "\0 BEGIN\r\n",
            "BEGIN\r\n",
            "\0BEGI\r\nN\r\n",
        ])
    func none(text: String) {
        #expect(bytesAfterBegin(in: text) == nil)
    }

    @Test(
        "BEGIN arrives in pieces of any size → it is detected with the last piece", arguments: 0..<50 as Range<UInt64>
    )
    func pieces(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bytes = Array("\0AUTH EXTERNAL 3130\r\nERROR\r\nAUTH EXTERNAL 30\r\nBEGIN\r\nlots of messages".utf8)
        let end = bytes.count - "lots of messages".utf8.count
        var scanner = HandshakeScanner()
        var place = 0
        while place < end {
            let next = min(bytes.count, place + Int.random(in: 1...20, using: &random))
            #expect(scanner.consume(bytes[place..<next]) == (next < end ? nil : next - end))
            place = next
        }
    }
}
