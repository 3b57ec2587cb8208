import ListKit
import TestSupport
import Testing

@Suite("Layout none: the client lays out")
struct NoLayoutTests {
    @Test("random transactions and ranges → the items that a flat list of all paths has there", arguments: 0..<6)
    func ranges(seed: Int) {
        var maker = RandomSections(seed % 2 == 0 ? .sparse : .large, seed: seed)
        var list = maker.list([0, 1, 30, 200, 600, 900][seed])
        var layout = ListLayout(.none)
        layout.prepare(list, container: .zero)
        for step in 0..<12 {
            layout.update(list.change(upTo: [0, 1, 3, 20][step % 4], &maker), source: list)
            #expect(layout.numberOfSections == list.sections.count)
            let all = list.sections.indices.flatMap { section in
                list.sections[section].items.indices.map { IndexPath(section: section, item: $0) }
            }
            for _ in 0..<10 {
                let (first, last) = (path(&maker.generator, list), path(&maker.generator, list))
                let overscan = Int.random(in: 0...12, using: &maker.generator)
                let start = max(0, all.count { $0 < first } - overscan)
                let end = min(all.count, all.count { $0 <= last } + overscan)
                let expected = start < end ? Array(all[start..<end]) : []
                #expect(layout.items(from: first, through: last, overscan: overscan) == expected)
            }
            #expect(all.suffix(20).allSatisfy { layout.attributes(ofItem: $0)?.frame == .zero })
        }
    }

    @Test("anything but counts and ranges → nothing")
    func nothingElse() {
        var layout = ListLayout(.none)
        layout.prepare(TestList(sections: [TestSection(items: [.of(10, 10)])]), container: Size(width: 9, height: 9))
        let everything = Rect(x: -1e9, y: -1e9, width: 2e9, height: 2e9)
        #expect(layout.contentSize == .zero)
        #expect(layout.attributes(in: everything, origin: .zero).isEmpty)
        #expect(layout.firstItem(in: everything) == nil && layout.item(at: .zero) == nil)
        #expect(layout.sections(in: everything) == nil && layout.attributes(of: .header, section: 0) == nil)
        #expect(layout.itemCount(ofSection: 0) == 1 && layout.itemCount(ofSection: 1) == nil)
        #expect(layout.attributes(ofItem: IndexPath(section: 0, item: 1)) == nil)
        let whole = layout.items(
            from: IndexPath(section: .min, item: .min), through: IndexPath(section: .max, item: .max))
        #expect(whole == [IndexPath(section: 0, item: 0)])
        let around = layout.items(
            from: IndexPath(section: 0, item: 0), through: IndexPath(section: 0, item: 0), overscan: .max)
        #expect(around == whole)
    }

    private func path(_ generator: inout SeededGenerator, _ list: TestList) -> IndexPath {
        IndexPath(
            section: Int.random(in: 0...list.sections.count, using: &generator),
            item: Int.random(in: 0...8, using: &generator))
    }
}
