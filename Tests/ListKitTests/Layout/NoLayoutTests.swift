// SPDX-License-Identifier: Apache-2.0

import ListKit
import Testing

@Suite("Layout none: the client computes the layout")
struct NoLayoutTests {
    @Test("a list has the layout none → its layout has the results of an empty list")
    func anyList() {
        let list = TestList(sections: [TestSection(items: [.of(10, 10)], header: 5)])
        let everything = Rect(x: -1e9, y: -1e9, width: 2e9, height: 2e9)
        var layout = NoLayout()
        layout.prepare(list, container: Size(width: 100, height: 100))
        layout.update(LayoutChanges(inserts: [0]), source: list)
        layout.resize([IndexPath(section: 0, item: 0)], source: list)
        #expect(layout.direction == .vertical && !layout.supportsAnchoring)
        #expect(layout.numberOfSections == 0 && layout.itemCount(ofSection: 0) == nil && layout.contentSize == .zero)
        #expect(layout.attributes(in: everything, origin: .zero).isEmpty)
        #expect(layout.attributes(ofItem: IndexPath(section: 0, item: 0)) == nil)
        #expect(layout.attributes(of: .header, section: 0) == nil && layout.sections(in: everything) == nil)
        #expect(layout.item(at: .zero) == nil && layout.scrollRange(ofSection: 0) == nil)
    }
}
