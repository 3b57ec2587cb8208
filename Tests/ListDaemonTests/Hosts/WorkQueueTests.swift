// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("The work queue of a list")
struct WorkQueueTests {
    @Test(
        "elements are appended and removed at random → the queue returns the elements of an array, first in, first out",
        arguments: [1, 2, 3] as [UInt64])
    func order(seed: UInt64) {
        var (queue, naive, random) = (WorkQueue<Int>(), [Int](), SeededRandom(seed: seed))
        for number in 0..<5000 {
            if Bool.random(using: &random) {
                queue.append(number)
                naive.append(number)
            } else if number % 5 == 0, let first = queue.popFirst() {
                queue.putBack(first)
            } else {
                #expect(queue.first == naive.first)
                #expect(queue.popFirst() == (naive.isEmpty ? nil : naive.removeFirst()))
            }
            #expect(queue.isEmpty == naive.isEmpty)
        }
    }

    @Test("a queue is filled and drained without ever being empty → memory only for waiting work")
    func neverEmpty() {
        var queue = WorkQueue<Int>()
        queue.append(0)
        for number in 1...100_000 {
            queue.append(number)
            #expect(queue.popFirst() == number - 1)
        }
        #expect(!queue.isEmpty && queue.capacity <= 128)
    }

    @Test("a queue is empty after a burst → the queue's memory is released")
    func afterRush() {
        var queue = WorkQueue<Int>()
        for number in 0..<10_000 { queue.append(number) }
        for number in 0..<10_000 { #expect(queue.popFirst() == number) }
        #expect(queue.isEmpty && queue.popFirst() == nil && queue.capacity <= 128)
    }
}
