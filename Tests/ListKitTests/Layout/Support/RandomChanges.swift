// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport

/// A generator of random sections.
protocol SectionMaker {
    var generator: SeededGenerator { get set }

    mutating func section() -> TestSection
}

extension RandomSections: SectionMaker {}

extension TestList {
    /// Changes the list at up to `most` random places, and returns the changes.
    mutating func change(upTo most: Int, _ sections: inout some SectionMaker) -> LayoutChanges {
        var changes = LayoutChanges()
        var kept = Array(self.sections.enumerated())
        var moved: [(from: Int, section: TestSection)] = []
        func number() -> Int { Int.random(in: 0...most, using: &sections.generator) }
        for _ in 0..<min(number(), kept.count) {
            let (offset, section) = kept.remove(at: Int.random(in: 0..<kept.count, using: &sections.generator))
            if sections.generator.chance(oneIn: 3) {
                moved.append((offset, section))
            } else {
                changes.deletes.append(offset)
            }
        }
        var coming: [(move: Int?, section: TestSection)] = moved.map { ($0.from, $0.section) }
        for _ in 0..<number() { coming.append((nil, sections.section())) }
        let count = kept.count + coming.count
        var places = Array((0..<count).shuffled(using: &sections.generator).prefix(coming.count))
        if sections.generator.chance(oneIn: 3) { places = Array((0..<count).suffix(coming.count)) }
        var result = kept.map(\.element)
        for (place, (from, section)) in zip(places, coming).sorted(by: { $0.0 < $1.0 }) {
            result.insert(section, at: place)
            if let from {
                changes.moves.append(LayoutChanges.Move(from: from, to: place))
            } else {
                changes.inserts.append(place)
            }
        }
        for _ in 0..<min(number(), count) {
            let place = Int.random(in: 0..<count, using: &sections.generator)
            result[place] = sections.section()
            changes.reloads.append(place)
        }
        self.sections = result
        return changes
    }
}
