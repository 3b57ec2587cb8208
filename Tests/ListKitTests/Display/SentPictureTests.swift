// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListKit

@Suite("The difference between a picture and the elements of its view")
struct SentPictureTests {
    private func element(_ section: Int, _ kind: ElementKind, _ index: Int, version: Int) -> ViewElement {
        var element = ViewElement(
            key: ElementKey(handle: SectionHandle(raw: Int32(section + 1)), kind: kind, index: index), section: section,
            frame: Rect(x: 0, y: Double(version % 2), width: 1, height: 1), z: 0)
        let identity = section % 2 == 0 ? "item \(index)" : nil
        let item = ListItem(
            identity: identity, reuseIdentifier: version % 5 == 0 ? "rare" : "usual",
            content: ["version": .string("\(version % 3)")])
        element.content = ViewElement.Content(item, objectID: "object \(section)", fields: item.content)
        return element
    }

    @Test("two random parts of a list → the same difference as by hashing", arguments: UInt64(0)..<20)
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func part() -> [ViewElement] {
            (0..<6).flatMap { section in
                [element(section, .header, 0, version: .random(in: 0..<30, using: &random))]
                    + (0..<3).map { element(section, .cell, $0, version: .random(in: 0..<30, using: &random)) }
            }.filter { _ in Bool.random(using: &random) }
        }
        for _ in 0..<50 {
            var old = part()
            let new = part()
            for index in old.indices { old[index].slot = SlotNumber(index + 1) }
            var picture = SentPicture()
            picture.advance(to: old, contentSize: .zero, stickyEdge: 0)
            let inOrder = picture.difference(to: new, contentSize: .zero, stickyEdge: 0)
            #expect(picture.isInOrder)
            picture.forward([:], in: nil)
            #expect(!picture.isInOrder)
            let byKey = picture.difference(to: new, contentSize: .zero, stickyEdge: 0)
            #expect(inOrder.shown == byKey.shown && inOrder.rebound == byKey.rebound)
            #expect(inOrder.released.map(\.slot) == byKey.released.map(\.slot))
            #expect(inOrder.placed.map(\.index) == byKey.placed.map(\.index))
            #expect(inOrder.present.map(\.slot) == byKey.present.map(\.slot))
            let known = Set(old.map(\.key))
            #expect(inOrder.shown.count + inOrder.present.filter { $0.slot != 0 }.count == new.count)
            #expect(inOrder.present.allSatisfy { $0.slot == 0 || known.contains($0.key) })
        }
    }

    @Test("two items of a section have exchanged their identities → each keeps its slot")
    func exchanged() {
        var (first, second) = (element(0, .cell, 0, version: 1), element(0, .cell, 1, version: 1))
        (first.slot, second.slot) = (7, 8)
        var picture = SentPicture()
        picture.advance(to: [first, second], contentSize: .zero, stickyEdge: 0)
        (first.content, second.content) = (second.content, first.content)
        (first.slot, second.slot) = (0, 0)
        let difference = picture.difference(to: [first, second], contentSize: .zero, stickyEdge: 0)
        #expect(difference.present.map(\.slot) == [8, 7])
        #expect(difference.shown.isEmpty && difference.released.isEmpty && difference.placed.map(\.index) == [0, 1])
    }
}
