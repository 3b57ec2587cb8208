import DBus
import ListClient

/// The state of the full-screen viewer: keys, pictures and sizes go in, actions for the shell come out. Pure.
struct ViewerState {
    /// What the shell has to do.
    enum Action: Equatable {
        case draw
        case setViewport(y: Double, width: Double, height: Double)
        case scrollTo(objectID: String)
        case find(text: String, afterSection: Int)
        case quit
    }

    /// What the bottom line is used for.
    enum Prompt: Equatable {
        case status
        case search(String)
    }

    private(set) var columns: Int
    private(set) var rows: Int
    private(set) var picture = Picture()
    private(set) var prompt = Prompt.status
    private(set) var message = ""
    /// Points that one row of the terminal stands for.
    private(set) var pointsPerRow: Double = 44
    /// Where the viewport should start, in points; the daemon may move it (anchoring, scrolling to an object).
    private(set) var top: Double = 0
    private var hasMeasured = false
    private var lastSearch = ""
    private var foundSection = -1

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = max(2, rows)
    }

    /// Rows for the list: all but the status line.
    var listRows: Int { rows - 1 }
    /// Height of the viewport, in points.
    var viewportHeight: Double { Double(listRows) * pointsPerRow }

    private var viewport: Action { .setViewport(y: top, width: Double(columns), height: viewportHeight) }

    /// The first thing to do once the view is open.
    mutating func start() -> [Action] { [viewport] }

    /// The terminal has another size.
    mutating func resize(columns: Int, rows: Int) -> [Action] {
        self.columns = columns
        self.rows = max(2, rows)
        return [viewport, .draw]
    }

    /// The picture has changed; the first one with cells says how high a row is.
    mutating func show(_ picture: Picture) -> [Action] {
        self.picture = picture
        top = picture.offset.y
        guard !hasMeasured, let height = Self.commonHeight(of: picture) else { return [.draw] }
        hasMeasured = true
        guard height != pointsPerRow else { return [.draw] }
        pointsPerRow = height
        return [viewport, .draw]
    }

    /// A text for the status line.
    mutating func say(_ text: String) -> [Action] {
        message = text
        return [.draw]
    }

    /// What a search found: the object and its section, or nothing.
    mutating func found(objectID: String?, section: Int) -> [Action] {
        guard let objectID else { return say("not found: \(lastSearch)") }
        foundSection = section
        message = "/\(lastSearch)"
        return [.scrollTo(objectID: objectID), .draw]
    }

    /// A key was pressed.
    mutating func press(_ key: Key) -> [Action] {
        if case .search(let text) = prompt { return type(key, into: text) }
        message = ""
        switch key {
        case .up, .character("k"): return scroll(by: -pointsPerRow)
        case .down, .character("j"), .enter: return scroll(by: pointsPerRow)
        case .pageUp, .character("b"): return scroll(by: -viewportHeight)
        case .pageDown, .character(" "): return scroll(by: viewportHeight)
        case .home, .character("g"): return scroll(to: 0)
        case .end, .character("G"): return scroll(to: .infinity)
        case .character("/"):
            prompt = .search("")
            return [.draw]
        case .character("n"): return search(lastSearch)
        case .character("q"), .interrupt: return [.quit]
        case .redraw: return [.draw]
        case .escape, .backspace, .character: return [.draw]
        }
    }

    private mutating func type(_ key: Key, into text: String) -> [Action] {
        switch key {
        case .character(let character): prompt = .search(text + String(character))
        case .backspace: prompt = text.isEmpty ? .status : .search(String(text.dropLast()))
        case .escape, .interrupt: prompt = .status
        case .enter:
            prompt = .status
            foundSection = -1
            return search(text)
        default: break
        }
        return [.draw]
    }

    private mutating func search(_ text: String) -> [Action] {
        guard !text.isEmpty else { return [.draw] }
        lastSearch = text
        message = "searching: \(text)"
        return [.find(text: text, afterSection: foundSection), .draw]
    }

    private mutating func scroll(by distance: Double) -> [Action] { scroll(to: top + distance) }

    private mutating func scroll(to target: Double) -> [Action] {
        let last = max(0, picture.contentSize.height - viewportHeight)
        let new = min(max(0, target), last)
        guard new != top else { return [.draw] }
        top = new
        return [viewport]
    }

    /// The height that most cells have.
    private static func commonHeight(of picture: Picture) -> Double? {
        var counts: [Double: Int] = [:]
        for item in picture.shown.values where item.kind == "cell" && item.frame.height >= 1 {
            counts[item.frame.height, default: 0] += 1
        }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
}
