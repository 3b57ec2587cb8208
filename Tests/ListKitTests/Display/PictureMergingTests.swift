// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Merging the changes of a picture")
struct PictureMergingTests {
    @Test(
        "runs of random changes are merged, and cut into as many pieces → each equals the changes one after the other",
        .rule("AO-09"), arguments: 0..<24)
    func random(seed: Int) throws {
        var source = RandomList(seed: UInt64(seed) &* 104_729 &+ 5)
        var configuration = ListOptions(name: "test")
        configuration.layout = [.flow, .none, .absolute][seed % 3]
        let adapter = ListAdapter(
            configuration: configuration,
            controllers: BuiltInSectionControllerProvider(names: ["binding": "listd/binding"]))
        try adapter.openView(1)
        var (plain, merged) = (SlotMirror(view: 1), SlotMirror(view: 1))
        var waiting: [PictureChange] = []
        for step in 0..<150 {
            var events: [AdapterEvent] = []
            if source.random.chance(oneIn: 3) {
                let first = Int.random(in: 0..<12, using: &source.random)
                if adapter.configuration.layout == .none {
                    events = try adapter.setVisibleRange(
                        view: 1, first: IndexPath(section: first, item: 0), last: IndexPath(section: first + 6, item: 2)
                    ).effects
                } else {
                    let rect = Rect(x: 0, y: Double(first) * 20, width: 200, height: 150)
                    events = try adapter.setViewport(view: 1, seen: 0, rect: rect).effects
                }
            } else {
                adapter.enqueue(UpdateRequest(id: UInt64(step), operation: try source.operation()), now: 0)
                events = adapter.flushNow().flatMap(\.events)
            }
            plain.apply(events)
            for case .picture(let change) in events { waiting.append(change) }
            guard source.random.chance(oneIn: 4), let first = waiting.first else { continue }
            let whole = waiting.dropFirst().reduce(first) { $0.merged(with: $1) }
            let pieces = whole.pieces(count: waiting.count)
            #expect(pieces.map(\.sequence) == waiting.map(\.sequence))
            waiting = []
            for slot in pieces[0].released { #expect(merged.slots[slot] != nil) }
            for piece in pieces { #expect(merged.apply(piece) == .applied) }
            #expect(merged == plain)
        }
        #expect(plain.sequence > 20)
    }
}
