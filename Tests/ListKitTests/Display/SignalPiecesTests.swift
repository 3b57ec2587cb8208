// SPDX-License-Identifier: Apache-2.0

import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Splitting signals into pieces")
struct SignalPiecesTests {
    private struct Change: Equatable {
        var number = 0
        var names: [String] = []
        var sizes: [Int] = []
    }

    private func pieces(_ names: [String], _ sizes: [Int], maximumBytes: Int = 10) -> [Change] {
        var pieces = SignalPieces(Change(), maximumBytes: maximumBytes) { Change(number: $0.number + 1) }
        pieces.append(names, to: \.names) { $0.utf8.count }
        pieces.append(sizes, to: \.sizes) { $0 }
        return pieces.all
    }

    @Test(
        "a signal has no elements → it is one empty piece; its elements have exactly the size limit → it is one piece")
    func one() {
        #expect(pieces([], []) == [Change()])
        #expect(pieces(["12345", "12345"], []) == [Change(names: ["12345", "12345"])])
        #expect(pieces(["12345"], [5]) == [Change(names: ["12345"], sizes: [5])])
    }

    @Test("an element would make a piece one byte too large → the next piece contains this element")
    func two() {
        #expect(pieces(["12345", "123456"], []) == [Change(names: ["12345"]), Change(number: 1, names: ["123456"])])
        #expect(pieces(["12345"], [6, 1]) == [Change(names: ["12345"]), Change(number: 1, sizes: [6, 1])])
    }

    @Test("elements are larger than a piece → each has a piece of its own, and no piece is empty")
    func large() {
        let names = ["a", "a name of many bytes", "b", "c"]
        #expect(
            pieces(names, [20, 20, 1]) == [
                Change(names: ["a"]), Change(number: 1, names: ["a name of many bytes"]),
                Change(number: 2, names: ["b", "c"]), Change(number: 3, sizes: [20]), Change(number: 4, sizes: [20]),
                Change(number: 5, sizes: [1]),
            ])
        #expect(pieces([], [20]) == [Change(sizes: [20])])
    }

    @Test(
        "a picture is split → its pieces have consecutive sequences; releases are in the first, transitions in the last"
    )
    func picture() {
        let size = Size(width: 1, height: 2)
        let rect = Rect(x: 0, y: 0, width: 1, height: 1)
        var change = PictureChange(view: 1, sequence: 7, revision: 3, contentSize: size, offset: .zero)
        change.released = [4]
        change.placed = (0..<10).map {
            PictureChange.Placement(slot: SlotNumber($0), section: $0, item: 0, frame: rect, z: 0)
        }
        change.transitions = [PictureChange.Transition(slot: 2, frame: rect)]
        let pieces = change.split(maximumBytes: 3 * PictureChange.Placement.byteCount)
        #expect(pieces.map(\.sequence) == [7, 8, 9, 10])
        #expect(pieces.map(\.placed.count) == [3, 3, 3, 1])
        #expect(pieces.flatMap(\.placed) == change.placed)
        #expect(pieces.map(\.released) == [[4], [], [], []])
        #expect(pieces.map(\.transitions.count) == [0, 0, 0, 1])
        #expect(pieces.allSatisfy { $0.revision == 3 && $0.contentSize == size })
    }
}
