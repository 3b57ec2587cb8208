import DBus
import ListClient

@testable import listctl

/// A list as listd shows it: a viewport is answered with the items in it and 20 points around, and nothing is said when
/// it shows nothing new (contract, "Viewing").
struct FakeList {
    var frames: [Frame]
    var inset = 0.0
    /// How many items the largest picture had that was asked for.
    var most = 0
    private var last: Picture?
    private var offset = 0.0
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

    func picture(y: Double, height visible: Double, sequence: UInt64) -> Picture {
        let shown = frames.enumerated().filter { $1.y < y + visible + 20 && $1.y + $1.height > y - 20 }.map {
            Picture.Shown(
                slot: UInt32($0), objectID: "o\($0)", section: UInt32($0), item: 0, kind: "cell", reuseIdentifier: "",
                frame: $1, z: 0, content: ["title": .string("t\($0)")])
        }
        return Picture(
            sequence: sequence, revision: 1, contentSize: Extent(width: 40, height: height),
            offset: Position(x: 0, y: y), shown: shown)
    }

    /// Answers what the state asks for until it asks for nothing more; false when that never happens.
    mutating func serve(_ state: inout ViewerState, _ actions: [ViewerState.Action]) -> Bool {
        var actions = actions
        for _ in 0..<20 {
            guard case .setViewport(let y, _, let visible)? = actions.last(where: \.isViewport) else { return true }
            offset = y
            var answer: [ViewerState.Action] = []
            let new = picture(y: y, height: visible, sequence: sequence + 1)
            most = max(most, new.shown.count)
            if last?.shown != new.shown || last?.contentSize != new.contentSize {
                sequence += 1
                last = new
                answer = state.show(new)
            }
            actions = answer + state.answered()
        }
        return false
    }
}

extension ViewerState.Action {
    var isViewport: Bool { if case .setViewport = self { true } else { false } }
}

extension ViewerState {
    /// The numbers of the items on the screen.
    var seen: Set<Int> { Set(Screen.items(of: self).joined().map { Int($0.section) }) }
}
