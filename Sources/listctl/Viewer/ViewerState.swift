import DBus
import ListClient

/// The state of the full-screen viewer: keys, pictures and sizes go in, actions for the shell come out. Pure.
struct ViewerState {
    /// What the shell has to do.
    enum Action: Equatable {
        case draw
        /// To be followed by ``answered()`` when the picture is that of this viewport.
        case setViewport(y: Double, width: Double, height: Double)
        case scrollTo(Place)
        case find(text: String, after: Search.Position?)
        case quit
    }

    /// An item, header or footer of an object.
    struct Place: Equatable {
        let objectID: String
        let part: Search.Position.Part

        /// The item that listd can be asked to scroll to.
        var item: UInt32 { if case .item(let item) = part { item } else { 0 } }

        func isPlace(of shown: Picture.Shown) -> Bool {
            // Canonically equivalent ids are different ones.
            Search.Position(of: shown)?.part == part && shown.objectID.utf8.elementsEqual(objectID.utf8)
        }
    }

    /// What the bottom line is used for.
    enum Prompt: Equatable {
        case status
        case search(String)
    }

    private(set) var picture = Picture()
    private(set) var prompt = Prompt.status
    /// What was said last; the next key takes it away.
    private(set) var message = ""
    /// Why what is shown may not be what the list is; stays until it is over.
    private(set) var condition = ""
    /// Whether listd is silent for longer than a person takes for granted.
    private(set) var isSilent = false
    private(set) var scroller: Scroller
    /// Rows of the terminal.
    private(set) var rows: Int
    private var hasMeasured = false
    private var lastSearch = ""
    private var lastHit: Search.Position?
    /// What the daemon was asked to scroll to.
    private var wanted: Place?
    /// Steps that were asked for while one was on its way.
    private var steps: [Key] = []

    init(columns: Int, rows: Int) {
        self.rows = rows
        scroller = Scroller(
            size: Scroller.Size(columns: columns, rows: Self.listRows(of: rows), pointsPerRow: 44))
    }

    var columns: Int { scroller.size.columns }
    /// Rows for the list: all but the status line, and one at least.
    var listRows: Int { scroller.size.rows }
    /// The rows of the list as far as the picture has them.
    var layout: RowLayout { scroller.layout(of: picture, at: scroller.top) }

    /// A new view is open, and shows nothing yet: the first thing to do with it.
    mutating func start() -> [Action] {
        (picture, condition, lastHit, wanted, steps) = (Picture(), "", nil, nil, [])
        (isSilent, hasMeasured) = (false, false)
        let place = scroller.start()
        return ask(place) + [.draw]
    }

    /// There is no view: what is shown is the past, and the condition says why.
    mutating func stop(_ condition: String, keepingPicture: Bool) -> [Action] {
        scroller.stop()
        (self.condition, isSilent, steps, wanted) = (condition, false, [], nil)
        if !keepingPicture { picture = Picture() }
        return [.draw]
    }

    /// The terminal has another size.
    mutating func resize(columns: Int, rows: Int) -> [Action] {
        self.rows = rows
        let size = Scroller.Size(
            columns: columns, rows: Self.listRows(of: rows), pointsPerRow: scroller.size.pointsPerRow)
        let place = scroller.resize(size, picture)
        return ask(place) + [.draw]
    }

    private static func listRows(of rows: Int) -> Int { max(1, rows - 1) }

    /// The picture has changed.
    mutating func show(_ picture: Picture) -> [Action] {
        (self.picture, isSilent) = (picture, false)
        var place = scroller.show(picture)
        if let size = measured() { place = scroller.resize(size, picture) ?? place }
        if scroller.hasArrived, let wanted { place = reveal(wanted) ?? place }
        return ask(place) + (scroller.isDrawable ? [.draw] : [])
    }

    /// The picture is that of the last viewport.
    mutating func answered() -> [Action] {
        isSilent = false
        let place = scroller.answered(picture)
        var actions = ask(place)
        while scroller.hasArrived, !steps.isEmpty { actions += step(steps.removeFirst()) }
        return actions + (scroller.isDrawable ? [.draw] : [])
    }

    /// A text for the status line.
    mutating func say(_ text: String) -> [Action] {
        message = text
        return [.draw]
    }

    /// What is wrong with the list; empty when nothing is.
    mutating func warn(_ text: String) -> [Action] {
        condition = text
        return [.draw]
    }

    /// Listd has not answered for a while.
    mutating func silent() -> [Action] {
        isSilent = true
        return [.draw]
    }

    /// An answer was given up; listd may be stopped or busy, and is asked again until it answers or is gone.
    mutating func unanswered() -> [Action] {
        isSilent = true
        let place = scroller.askAgain(picture)
        return ask(place) + [.draw]
    }

    /// What there is to say instead of which keys there are; empty when nothing.
    var matter: String { isSilent ? "listd does not answer" : message.isEmpty ? condition : message }

    /// Whether that is worth the only row there is.
    var hasNews: Bool { isSilent || !message.isEmpty }

    /// Listd has refused a call to the view.
    mutating func failed(_ text: String) -> [Action] {
        scroller.stop()
        steps = []
        return say(text)
    }

    /// What a search found in the items of the list, if anything; what stands on the screen is looked at here.
    mutating func found(_ hit: Search.Hit?) -> [Action] {
        let shown = Search.headersAndFooters(with: lastSearch, in: picture)
        guard let hit = Search.first(of: shown + (hit.map { [$0] } ?? []), behind: lastHit) else {
            isSilent = false
            return say("not found: \(lastSearch)")
        }
        (lastHit, isSilent) = (hit.position, false)
        // On the only row what was found is worth more.
        message = rows == 1 ? "" : "/\(lastSearch)"
        let place = Place(objectID: hit.objectID, part: hit.position.part)
        wanted = place
        let near = reveal(place)
        return (wanted == nil ? ask(near) : [.scrollTo(place)]) + [.draw]
    }

    /// A key was pressed.
    mutating func press(_ key: Key) -> [Action] {
        if case .search(let text) = prompt { return type(key, into: text) }
        message = ""
        switch key {
        case .up, .down, .pageUp, .pageDown, .home, .end, .enter: return step(key)
        case .character("k"): return step(.up)
        case .character("j"): return step(.down)
        case .character("b"): return step(.pageUp)
        case .character(" "): return step(.pageDown)
        case .character("g"): return step(.home)
        case .character("G"): return step(.end)
        case .character("/"):
            prompt = .search("")
            return [.draw]
        case .character("n"): return search(lastSearch)
        case .character("q"), .interrupt: return [.quit]
        case .escape, .backspace, .redraw, .character: return [.draw]
        }
    }

    private mutating func type(_ key: Key, into text: String) -> [Action] {
        switch key {
        case .character(let character): prompt = .search(text + String(character))
        case .backspace: prompt = text.isEmpty ? .status : .search(String(text.dropLast()))
        case .escape, .interrupt: prompt = .status
        case .enter:
            prompt = .status
            lastHit = nil
            return search(text)
        default: break
        }
        return [.draw]
    }

    private mutating func search(_ text: String) -> [Action] {
        guard !text.isEmpty else { return [.draw] }
        lastSearch = text
        message = "searching: \(text)"
        return [.find(text: text, after: lastHit), .draw]
    }

    // MARK: - The height of a row

    /// No row of a terminal stands for less, or for more: what is higher takes several rows.
    private static let rowHeights = 8.0...256

    /// What a screen holds by what the picture shows; nil when that changes nothing.
    ///
    /// The first picture with an item that fits on the screen says how high a row is. Later ones make rows lower when
    /// items stand so close that the viewport has many more of them than the screen, and never higher: that comes to an
    /// end, whatever the items are like.
    private mutating func measured() -> Scroller.Size? {
        var size = scroller.size
        guard let (rows, advance) = RowLayout.measure(picture), advance <= size.height else { return nil }
        let height = min(max(Self.rowHeights.lowerBound, advance), Self.rowHeights.upperBound)
        guard !hasMeasured || rows > 3 * size.rows && height < size.pointsPerRow else { return nil }
        (hasMeasured, size.pointsPerRow) = (true, height)
        return size
    }

    // MARK: - Scrolling

    /// How many steps wait at most: a held key must not go on for long when it is let go.
    private static let longestQueue = 32

    private mutating func step(_ key: Key) -> [Action] {
        wanted = nil
        guard scroller.hasArrived else {
            if steps.count < Self.longestQueue { steps.append(key) }
            return []
        }
        let place =
            switch key {
            case .up: scroller.scroll(rows: -1, picture)
            case .pageUp: scroller.scroll(rows: -listRows, picture)
            case .pageDown: scroller.scroll(rows: listRows, picture)
            case .home: scroller.scroll(to: 0, picture)
            case .end: scroller.scroll(to: .greatestFiniteMagnitude, picture)
            default: scroller.scroll(rows: 1, picture)
            }
        return place == nil ? [.draw] : ask(place)
    }

    /// Brings what is wanted onto the screen, if the picture has it: then it is wanted no more.
    private mutating func reveal(_ place: Place) -> Double? {
        guard let item = picture.shown.values.first(where: place.isPlace) else { return nil }
        wanted = nil
        // What floats is on the screen.
        guard !layout.floating.contains(where: { $0.slot == item.slot }) else { return nil }
        let isCovered = !layout.floating.isEmpty
        let y = isCovered ? item.frame.y - scroller.size.pointsPerRow : item.frame.y
        return scroller.scroll(to: y, picture)
    }

    /// The viewport to ask for. It has today's size: the scroller must have been changed before this is called.
    private func ask(_ y: Double?) -> [Action] {
        y.map { [.setViewport(y: $0, width: Double(columns), height: scroller.size.height)] } ?? []
    }
}
