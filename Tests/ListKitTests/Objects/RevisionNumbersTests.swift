// SPDX-License-Identifier: Apache-2.0

import Testing

@testable @_spi(Daemon) import ListKit

@Suite("RevisionNumbers: the revisions that may be announced")
struct RevisionNumbersTests {
    private static let block = RevisionNumbers.blockSize

    @Test("a list is new → no revision is available before the store has recorded a limit")
    func nothingStored() {
        let numbers = RevisionNumbers(restoring: 7, limit: 7)
        #expect(numbers.last == 7 && numbers.left == 0 && !numbers.mayNumber())
    }

    @Test("successive updates → each update raises the limit by one, and uses the new revision")
    func updates() {
        var numbers = RevisionNumbers(restoring: 3, limit: 3)
        for revision in 4...9 as ClosedRange<UInt64> {
            let limit = numbers.beginUpdateWrite()
            #expect(limit == revision && !numbers.mayNumber())
            numbers.confirmWrite(limit)
            #expect(numbers.mayNumber() && !numbers.mayNumber(leaving: 1))
            let number = numbers.next()
            #expect(number == revision)
        }
    }

    @Test("other changes use all revisions while an update is written → the update still has a revision of its own")
    func keepsNumberForUpdate() {
        var numbers = RevisionNumbers(restoring: 0, limit: 0)
        numbers.confirmWrite(numbers.beginBlockWrite())
        while numbers.left > Self.block / 2 { _ = numbers.next() }
        let limit = numbers.beginUpdateWrite()
        #expect(limit == Self.block + 1)
        while numbers.mayNumber() { _ = numbers.next() }
        numbers.confirmWrite(limit)
        #expect(numbers.left == 1)
        #expect(numbers.mayNumber() && !numbers.mayNumber(leaving: 1))
    }

    @Test("an update starts while a block is being reserved → the update uses a revision after the block")
    func blockAndUpdate() {
        var numbers = RevisionNumbers(restoring: 10, limit: 10)
        let block = numbers.beginBlockWrite()
        let update = numbers.beginUpdateWrite()
        #expect(block == 10 + Self.block && update == block + 1)
        numbers.confirmWrite(block)
        #expect(numbers.limit == block)
        numbers.confirmWrite(update)
        #expect(numbers.left == Self.block + 1)
    }

    @Test(
        "a block is half used → the next update reserves another block, unless a reservation is in progress")
    func update() {
        var numbers = RevisionNumbers(restoring: 0, limit: 0)
        numbers.confirmWrite(numbers.beginBlockWrite())
        #expect(!numbers.needsBlock)
        numbers.confirmWrite(numbers.beginUpdateWrite())
        #expect(numbers.limit == Self.block + 1)
        while numbers.left >= Self.block / 2 { _ = numbers.next() }
        #expect(numbers.needsBlock)
        numbers.confirmWrite(numbers.beginUpdateWrite())
        #expect(numbers.limit == 2 * Self.block + 2)
        #expect(!numbers.needsBlock)
    }

    @Test("an update is refused → no revision is skipped")
    func refused() {
        var numbers = RevisionNumbers(restoring: 5, limit: 5)
        for _ in 0..<3 {
            let limit = numbers.beginUpdateWrite()
            #expect(limit == 6)
            numbers.cancelWrite()
        }
        #expect(numbers.requested == 5 && numbers.left == 0)
    }

    @Test("one of two writes is refused → the other write's limit stays, and no limit is used twice")
    func oneOfTwoRefused() {
        var numbers = RevisionNumbers(restoring: 5, limit: 5)
        let block = numbers.beginBlockWrite()
        _ = numbers.beginUpdateWrite()
        numbers.cancelWrite()
        let again = numbers.beginUpdateWrite()
        #expect(again > block + 1)
        numbers.confirmWrite(block)
        numbers.cancelWrite()
        #expect(numbers.limit == block && numbers.requested == block)
    }

    @Test(
        "listd restarts after a kill → revisions continue after the stored limit; after a clean end → there is no gap")
    func restoring() {
        #expect(RevisionNumbers(restoring: 8, limit: 1032).last == 1032)
        #expect(RevisionNumbers(restoring: 8, limit: 8).last == 8)
        var numbers = RevisionNumbers(restoring: 8, limit: 8)
        numbers.confirmWrite(numbers.beginBlockWrite())
        _ = numbers.next()
        numbers.endNumbering()
        #expect(numbers.requested == 9 && !numbers.mayNumber())
    }

    @Test(
        "a list is not stored → its revisions are unlimited; storing begins → it has none until the store has a limit"
    )
    func unstored() {
        var numbers = RevisionNumbers(unstoredAt: 4)
        #expect(numbers.isUnstored && !numbers.needsBlock && numbers.mayNumber(leaving: 1_000_000))
        numbers.confirmWrite(numbers.beginUpdateWrite())
        let number = numbers.next()
        #expect(number == 5)
        numbers.beginPersistence()
        #expect(!numbers.isUnstored && !numbers.mayNumber() && numbers.limit == 5)
        numbers.endPersistence()
        #expect(numbers.isUnstored && numbers.mayNumber())
    }
}
