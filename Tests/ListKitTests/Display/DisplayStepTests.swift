// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListKit

@Suite("Elements that appear and disappear by scrolling")
struct DisplayStepTests {
    private func element(_ section: Int, _ kind: ElementKind, _ index: Int = 0) -> ViewElement {
        ViewElement(
            key: ElementKey(handle: SectionHandle(raw: Int32(section + 1)), kind: kind, index: index),
            section: section, frame: .zero, z: 0)
    }

    private func expectEqual(_ step: DisplayStep, _ expected: DisplayStep) {
        #expect(step.appeared.map(\.key) == expected.appeared.map(\.key))
        #expect(step.disappeared.map(\.key) == expected.disappeared.map(\.key))
        #expect(step.sectionsAppeared.map(\.section) == expected.sectionsAppeared.map(\.section))
        #expect(step.sectionsAppeared.map(\.handle) == expected.sectionsAppeared.map(\.handle))
        #expect(step.sectionsDisappeared.map(\.section) == expected.sectionsDisappeared.map(\.section))
        #expect(step.sectionsDisappeared.map(\.handle) == expected.sectionsDisappeared.map(\.handle))
    }

    @Test("two random parts of a list → the same step as by hashing", arguments: UInt64(0)..<20)
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let list = (0..<6).flatMap { section in
                let cells = (0..<Int.random(in: 0...3, using: &random)).map { element(section, .cell, $0) }
                return [element(section, .header)] + cells + [element(section, .footer)]
            }
            let old = list.filter { _ in Bool.random(using: &random) }
            let new = list.filter { _ in Bool.random(using: &random) }
            var (step, expected) = (DisplayStep(), DisplayStep())
            expected.setChanges(from: old, to: new, forwarding: [:])
            let isSet = step.setChanges(scrollingFrom: old, to: new)
            #expect(isSet)
            expectEqual(step, expected)
        }
    }

    @Test(
        "some sections move, and parts of the list are shown → the same step as by hashing all",
        arguments: UInt64(0)..<20)
    func moves(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let first = Int.random(in: 0..<8, using: &random)
            let sections = first..<Int.random(in: first...8, using: &random)
            var order = Array(0..<8)
            order[sections].shuffle(using: &random)
            func shown(_ origin: (Int) -> Int) -> [ViewElement] {
                (0..<8).flatMap { section in
                    [ElementKind.header, .cell, .footer].map { kind in
                        let handle = SectionHandle(raw: Int32(origin(section) + 1))
                        return ViewElement(
                            key: ElementKey(handle: handle, kind: kind, index: 0), section: section, frame: .zero, z: 0)
                    }
                }
            }
            let old = shown { $0 }.filter { _ in Bool.random(using: &random) }
            let new = shown { order[$0] }.filter { _ in Bool.random(using: &random) }
            var (step, expected) = (DisplayStep(), DisplayStep())
            expected.setChanges(from: old, to: new, forwarding: [:])
            step.setChanges(from: old, to: new, forwarding: [:], in: sections)
            expectEqual(step, expected)
        }
    }

    @Test("elements are not in list order, or one belongs to no section → nothing is set")
    func outOfOrder() {
        let ordered = [element(0, .cell), element(1, .cell)]
        let empty = ViewElement(
            key: ElementKey(handle: nil, kind: .cell, index: 0), section: 0, frame: .zero, z: 0)
        for other in [Array(ordered.reversed()), [ordered[0], ordered[0]], [empty], [ordered[0], empty, ordered[1]]] {
            var step = DisplayStep()
            let areSet = [
                step.setChanges(scrollingFrom: ordered, to: other), step.setChanges(scrollingFrom: other, to: ordered),
            ]
            #expect(areSet == [false, false])
            #expect(step.appeared.isEmpty && step.disappeared.isEmpty && step.sectionsAppeared.isEmpty)
        }
    }
}
