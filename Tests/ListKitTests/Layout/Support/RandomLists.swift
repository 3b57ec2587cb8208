// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport

/// The random number generator of the layout tests.
typealias SeededGenerator = TestSupport.SeededRandom

extension SeededGenerator {
    init(seed: Int) { self.init(seed: UInt64(bitPattern: Int64(seed))) }

    /// Returns a random multiple of a quarter.
    mutating func quarters(_ range: ClosedRange<Int>) -> Double { Double(Int.random(in: range, using: &self)) / 4 }
}

/// A generator of random sections of one kind.
struct RandomSections {
    /// A kind of sections.
    enum Character: CaseIterable {
        /// Sections of one item over the whole width.
        case rows
        /// Sections of several small items, which share rows.
        case grid
        /// Sections with all properties, including negative insets and spacings.
        case wild
        /// Many empty sections.
        case sparse
        /// Occasional sections with more items than a packed group can hold.
        case large
    }

    let character: Character
    var generator: SeededGenerator

    init(_ character: Character, seed: Int) {
        self.character = character
        generator = SeededGenerator(seed: seed)
    }

    mutating func section() -> TestSection {
        switch character {
        case .rows: return TestSection(items: [.of(100, generator.quarters(20...400))])
        case .grid: return gridSection()
        case .wild: return wildSection()
        case .sparse: return generator.chance(oneIn: 8) ? wildSection() : emptySection()
        case .large: return generator.chance(oneIn: 20) ? largeSection() : gridSection()
        }
    }

    mutating func list(_ count: Int) -> TestList {
        TestList(sections: (0..<count).map { _ in section() })
    }

    private mutating func size() -> Size { .of(generator.quarters(0...240), generator.quarters(0...200)) }

    private mutating func inset(_ range: ClosedRange<Int>) -> EdgeInsets {
        guard generator.chance(oneIn: 2) else { return .zero }
        return EdgeInsets(
            top: generator.quarters(range), left: generator.quarters(range), bottom: generator.quarters(range),
            right: generator.quarters(range))
    }

    private mutating func gridSection() -> TestSection {
        var section = TestSection(items: (0..<Int.random(in: 1...4, using: &generator)).map { _ in size() })
        section.inset = inset(0...40)
        section.lineSpacing = generator.quarters(0...40)
        section.interitemSpacing = generator.quarters(0...20)
        if generator.chance(oneIn: 5) { section.header = generator.quarters(1...60) }
        if generator.chance(oneIn: 5) { section.footer = generator.quarters(1...60) }
        return section
    }

    private mutating func emptySection() -> TestSection {
        var section = TestSection(inset: inset(0...40))
        if generator.chance(oneIn: 3) { section.header = generator.quarters(1...60) }
        if generator.chance(oneIn: 3) { section.footer = generator.quarters(1...60) }
        return section
    }

    private mutating func wildSection() -> TestSection {
        var section = TestSection(items: (0..<Int.random(in: 0...6, using: &generator)).map { _ in size() })
        section.inset = inset(-40...80)
        section.lineSpacing = generator.quarters(-40...80)
        section.interitemSpacing = generator.quarters(-80...40)
        if generator.chance(oneIn: 2) { section.header = generator.quarters(0...80) }
        if generator.chance(oneIn: 2) { section.footer = generator.quarters(0...80) }
        if generator.chance(oneIn: 4), let first = section.items.first {
            section.items = section.items.map { _ in first }
            section.reportsUniformSize = true
        }
        return section
    }

    private mutating func largeSection() -> TestSection {
        var section = wildSection()
        let count = Int.random(in: 100...700, using: &generator)
        let first = size()
        section.reportsUniformSize = generator.chance(oneIn: 2)
        section.items = (0..<count).map { _ in section.reportsUniformSize ? first : size() }
        return section
    }
}
