/// What a person typed.
enum Key: Sendable, Equatable {
    case up, down, pageUp, pageDown, home, end
    case enter, escape, backspace, interrupt, redraw
    case character(Character)
}
