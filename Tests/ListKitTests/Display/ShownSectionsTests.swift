// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListKit

@Suite("Index from sections to the views that show them")
struct ShownSectionsTests {
    @Test(
        "views of all sizes scroll, open and close → the index returns the same views as a scan of all views",
        arguments: 0..<40)
    func asScan(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var index = ShownSections()
        var views: [Int: Range<Int>] = [:]
        let sectionCount = [100, 1_000, 5_000].randomElement(using: &random) ?? 100
        for _ in 0..<200 {
            let number = Int.random(in: 0..<20, using: &random)
            if let old = views.removeValue(forKey: number) { index.remove(old, ofView: number) }
            if Int.random(in: 0..<4, using: &random) > 0 {
                let first = Int.random(in: 0..<sectionCount, using: &random)
                let length = [0, 1, 20, 64, 65, 1_024, 3_000].randomElement(using: &random) ?? 0
                let sections = first..<min(first + length, sectionCount)
                views[number] = sections
                index.insert(sections, ofView: number)
            }
            let section = Int.random(in: 0..<sectionCount, using: &random)
            var found: Set<Int> = []
            index.insertViews(showing: section, into: &found)
            #expect(found == Set(views.filter { $0.value.contains(section) }.keys))
        }
    }
}
