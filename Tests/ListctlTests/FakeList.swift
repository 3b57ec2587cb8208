// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

@testable import listctl

/// A fake list that answers as listd does. The picture for a viewport has the items inside of the viewport and up to
/// 20 points outside of it. A viewport that shows nothing new gets no picture (contract, "Viewing").
struct FakeList {
    var frames: [Frame]
    var inset = 0.0
    /// The number of items in the largest picture so far.
    var most = 0
    private var last: Picture?
    private var offset = 0.0
    /// How far the list has moved the viewport.
    private var moved = 0.0
    private var sequence: UInt64 = 0

    init(heights: [Double], spacing: Double = 0, columns: Int = 1) {
        var (y, frames) = (0.0, [Frame]())
        for (index, height) in heights.enumerated() {
            let column = index % columns
            frames.append(Frame(x: Double(column) * 10, y: y, width: 10, height: height))
            if column == columns - 1 || index == heights.count - 1 { y += height + spacing }
        }
        self.frames = frames
    }

    var height: Double { (frames.map { $0.y + $0.height }.max() ?? 0) + inset }

    /// - Parameter distance: how far the list has moved the viewport so far, if it is not known.
    func picture(y: Double, height visible: Double, sequence: UInt64, moved distance: Double? = nil) -> Picture {
        let shown = frames.enumerated().filter { $1.y < y + visible + 20 && $1.y + $1.height > y - 20 }.map {
            Picture.Shown(
                slot: UInt32($0), objectID: "o\($0)", section: UInt32($0), item: 0, kind: "cell", reuseIdentifier: "",
                frame: $1, z: 0, content: ["title": .string("t\($0)")])
        }
        return Picture(
            sequence: sequence, revision: 1, contentSize: Extent(width: 40, height: height),
            offset: Position(x: 0, y: y), shown: shown, shift: Position(x: 0, y: distance ?? moved))
    }

    /// Returns the picture after a scroll that puts an item in the middle of a viewport.
    mutating func picture(around number: Int, height visible: Double) -> Picture {
        let frame = frames[number]
        let before = offset
        offset = max(0, min(frame.y + frame.height / 2 - visible / 2, height - visible))
        moved += offset - before
        sequence += 1
        let new = picture(y: offset, height: visible, sequence: sequence)
        last = new
        return new
    }

    /// Answers a browser's requests until no request is left. Returns `false` when the requests never end.
    mutating func serve(_ browser: inout Browser, _ requests: [ViewerEffect]) -> Bool {
        var requests = requests
        for _ in 0..<20 {
            guard case .setViewport(let y, _, let visible)? = requests.last(where: \.isViewport) else { return true }
            offset = y
            var answer: [ViewerEffect] = []
            let new = picture(y: y, height: visible, sequence: sequence + 1)
            most = max(most, new.shown.count)
            if last?.shown != new.shown || last?.contentSize != new.contentSize {
                sequence += 1
                last = new
                answer = browser.show(new)
            }
            requests = answer + browser.handleAnswer()
        }
        return false
    }
}

extension ViewerEffect {
    var isViewport: Bool { if case .setViewport = self { true } else { false } }
}

extension Browser {
    /// The numbers of the items on the screen.
    var seen: Set<Int> { Set(rows.joined().map { Int($0.section) }) }
    /// The number of the item under the cursor.
    var currentNumber: Int? { current.map { Int($0.section) } }
}

extension FakeList {
    /// Answers a viewer's requests until no request is left. Returns `false` when the requests never end.
    mutating func serve(_ state: inout ViewerState, _ effects: [ViewerEffect]) -> Bool {
        var effects = effects
        for number in 1..<20 {
            let viewport = effects.compactMap { effect -> (y: Double, height: Double)? in
                if case .setViewport(let y, _, let height) = effect { (y, height) } else { nil }
            }.last
            guard let viewport else { return true }
            let picture = picture(y: viewport.y, height: viewport.height, sequence: UInt64(number))
            effects = state.handle(.shown(picture)) + state.handle(.answered)
        }
        return false
    }
}

extension ViewerState {
    mutating func press(_ key: Key) -> [ViewerEffect] { handle(.terminal(.key(key))) }

    /// Types a text. Returns the effects of the last key.
    mutating func type(_ text: String) -> [ViewerEffect] {
        var effects: [ViewerEffect] = []
        for character in text { effects = press(.character(character)) }
        return effects
    }

    /// The lines on the terminal, without trailing blanks.
    var lines: [String] { ViewerScreen.screen(of: self).lines.map(\.text.trimmingTrailingBlanks) }
    var status: String { lines.last ?? "" }
}

extension [ViewerEffect] {
    /// The search that the effect requests.
    var query: Search.Query? {
        compactMap { effect in if case .find(let query) = effect { query } else { nil } }.last
    }
}
