// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DBus

@Suite("Detecting message boundaries in received bytes")
struct MessageBoundariesTests {
    /// Returns a message with `fields` bytes of header fields and `body` bytes of body.
    private func message(fields: Int, body: Int, isLittle: Bool = true) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] {
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isLittle ? bytes : bytes.reversed()
        }
        let start = [UInt8(ascii: isLittle ? "l" : "B"), 1, 0, 1] + number(body) + number(1) + number(fields)
        return start + [UInt8](repeating: 7, count: (fields + 7) & -8 + body)
    }

    @Test(
        "messages arrive in pieces of any size → each message's length is known from its 16th byte to its last"
    )
    func pieces() {
        var random = SeededRandom(seed: 31)
        for _ in 0..<200 {
            var (stream, ends): ([UInt8], [Int]) = ([], [])
            for _ in 0..<6 {
                stream += message(
                    fields: .random(in: 0...60, using: &random), body: .random(in: 0...300, using: &random),
                    isLittle: random.chance(oneIn: 2))
                ends.append(stream.count)
            }
            var boundaries = MessageBoundaries()
            var position = 0
            while position < stream.count {
                let end = min(stream.count, position + .random(in: 1...80, using: &random))
                if boundaries.canSkip(end - position), random.chance(oneIn: 2) {
                    boundaries.skip(end - position)
                } else {
                    boundaries.consume(stream[position..<end])
                }
                position = end
                let complete = ends.count { $0 <= position }
                let begin = complete == 0 ? 0 : ends[complete - 1]
                #expect(boundaries.completed == UInt64(complete) && boundaries.received == position - begin)
                let isKnown = position - begin >= 16
                #expect(boundaries.length == (isKnown ? ends[complete] - begin : nil) && !boundaries.isUnknown)
            }
        }
    }

    @Test("bytes are skipped without scanning → boundaries are known again after all messages are dispatched")
    func unseen() {
        var boundaries = MessageBoundaries()
        let (first, second) = (message(fields: 8, body: 40), message(fields: 0, body: 9))
        boundaries.consume(first[..<30])
        boundaries.skip(first.count - 30 + 5)  // the rest of the first message and five bytes of the second
        #expect(boundaries.isUnknown && boundaries.completed == 1 && boundaries.received == 5)
        boundaries.recordAllDispatched()
        #expect(boundaries.isUnknown && boundaries.length == nil)
        boundaries.consume(second[5...])
        #expect(boundaries.received == second.count)
        boundaries.removeDispatched(size: second.count)
        boundaries.recordAllDispatched()
        #expect(!boundaries.isUnknown && boundaries.completed == 2)
        boundaries.consume(second[..<20])
        #expect(boundaries.length == second.count && boundaries.received == 20)
    }

    @Test("boundaries are marked as unknown → message lengths are no longer reported")
    func givenUp() {
        var boundaries = MessageBoundaries()
        boundaries.markUnknown()
        boundaries.recordAllDispatched()
        boundaries.consume(message(fields: 0, body: 9)[...])
        #expect(boundaries.isUnknown && boundaries.length == nil && boundaries.received == 25)
    }
}
