// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListKit

@Suite("Slot pool: recycling as in LazyScrollView")
struct SlotPoolTests {
    /// A naive model of the slot pool.
    struct Model {
        var shown: [(slot: UInt32, identifier: String)] = []
        var free: [String: [UInt32]] = [:]
        /// The reuse identifier of every slot that was ever created.
        var owners: [UInt32: String] = [:]
        /// The maximum number of slots that each identifier used at the same time.
        var peaks: [String: Int] = [:]

        /// Records that the pool returned a slot for an identifier. Returns a description of the mistake, if any.
        mutating func recordTaken(_ slot: UInt32, _ identifier: String) -> String? {
            if shown.contains(where: { $0.slot == slot }) { return "slot \(slot) is shown twice" }
            if let waiting = identifier.isEmpty ? nil : free[identifier]?.popLast() {
                if slot != waiting { return "slot \(slot) was taken, \(waiting) was released last" }
            } else if owners[slot] != nil {
                return "slot \(slot) is not new"
            }
            owners[slot] = identifier
            shown.append((slot, identifier))
            peaks[identifier] = max(peaks[identifier, default: 0], shown.count { $0.identifier == identifier })
            return nil
        }

        mutating func release(_ place: Int) -> UInt32 {
            let (slot, identifier) = shown.remove(at: place)
            if !identifier.isEmpty { free[identifier, default: []].append(slot) }
            return slot
        }

        /// The expected number of slots.
        var count: Int {
            shown.count { $0.identifier.isEmpty } + peaks.reduce(0) { $0 + ($1.key.isEmpty ? 0 : $1.value) }
        }
    }

    @Test("any six steps are made with two reuse identifiers and an empty one → the slots are those of the model")
    func everySequence() {
        var wrong: [String] = []
        for code in 0..<15_625 {
            var (pool, model, rest) = (SlotPool(), Model(), code)
            for _ in 0..<6 {
                step(rest % 5, &pool, &model).map { wrong.append("\(code): \($0)") }
                rest /= 5
            }
            if pool.count != model.count { wrong.append("\(code): \(pool.count) slots instead of \(model.count)") }
        }
        #expect(wrong.isEmpty)
    }

    private func step(_ action: Int, _ pool: inout SlotPool, _ model: inout Model) -> String? {
        switch action {
        case 0...2:
            let identifier = ["", "a", "b"][action]
            return model.recordTaken(pool.take(identifier), identifier)
        default:
            guard !model.shown.isEmpty else { return pool.release(1) ? "released nothing" : nil }
            let slot = model.release(action == 3 ? 0 : model.shown.count - 1)
            guard pool.release(slot) else { return "slot \(slot) was not released" }
            return pool.release(slot) ? "slot \(slot) was released twice" : nil
        }
    }

    @Test(
        "screens are random → slots keep their reuse identifiers, and their number is the largest one shown at a time",
        .rule("VW-04"),
        arguments: 0..<4)
    func randomScreens(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var (pool, model) = (SlotPool(), Model())
        let identifiers = ["", "row", "photo", "é", "footer", "header"]
        for _ in 0..<300 {
            for place in Array(model.shown.indices.reversed()) where generator.chance(oneIn: 2) {
                let slot = model.release(place)
                let released = pool.release(slot)
                #expect(released)
            }
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                let identifier = identifiers[Int.random(in: 0..<6, using: &generator)]
                let slot = pool.take(identifier)
                let problem = model.recordTaken(slot, identifier)
                #expect(problem == nil)
            }
            #expect(pool.brokenInvariant == nil)
            #expect(pool.shownCount == model.shown.count && pool.count == model.count)
        }
    }

    @Test("a screen scrolls through 10,000 elements → there are no more slots than fit on the screen")
    func scrolling() {
        var pool = SlotPool()
        var shown = (0..<10).map { _ in pool.take("row") }
        for _ in 0..<10_000 {
            pool.release(shown.removeFirst())
            shown.append(pool.take("row"))
        }
        #expect(Set(shown) == Set(1...10) && pool.count == 10)
    }

    @Test("canonically equivalent reuse identifiers have different bytes → they have separate slots")
    func bytes() {
        var pool = SlotPool()
        let composed = pool.take("é")
        pool.release(composed)
        let (decomposed, again) = (pool.take("e\u{301}"), pool.take("é"))
        #expect(decomposed != composed && again == composed)
    }

    @Test("there are too many or too long reuse identifiers → their slots are not pooled, and memory is bounded")
    func manyIdentifiers() {
        var pool = SlotPool(after: 0, identifierLimit: 2)
        let long = String(repeating: "x", count: SlotPool.maximumIdentifierLength + 1)
        for identifier in [long, "a", "b", "c", "d", "a"] {
            let slot = pool.take(identifier)
            let released = pool.release(slot)
            #expect(released)
        }
        #expect(pool.count == 2)
        let (slot, other) = (pool.take("c"), pool.take("c"))
        #expect(slot != other && pool.count == 4)
    }

    @Test("slot numbers run out → numbering restarts and skips the numbers in use")
    func exhaustion() {
        var pool = SlotPool(after: .max - 2)
        let numbers = [pool.take("row"), pool.take("row"), pool.take("row")]
        #expect(numbers == [.max - 1, .max, 1])
        var late = SlotPool(after: .max - 1)
        let first = late.take("row")
        let second = late.take("")
        #expect(first == .max && second == 1)
        late.release(second)
        let third = late.take("")
        #expect(third == 2)
    }
}
