// SPDX-License-Identifier: Apache-2.0

import CNcurses

/// Decodes keys and mouse events through ncurses. All methods run on the queue of `CursesTerminal`.
enum CursesKeys {
    /// Reads all keys and mouse events that ncurses has received, and passes them to `receiver`.
    ///
    /// - Parameter isSequence: whether the received bytes are an escape sequence. If ncurses does not know the
    ///   sequence, its bytes are ignored, so that its letters do not act as commands.
    static func read(isSequence: Bool, _ receiver: (TerminalInput) -> Void) {
        var number: UInt32 = 0
        while true {
            // The C function fills in the number.
            switch unsafe listd_curses_key(&number) {
            case OK where isSequence: break
            case OK:
                if let key = key(forCharacter: number) { receiver(.key(key)) }
            case KEY_CODE_YES where Int32(bitPattern: number) == KEY_MOUSE:
                for input in mouseEvents() { receiver(input) }
            case KEY_CODE_YES:
                if let key = key(forCode: Int32(bitPattern: number)) { receiver(.key(key)) }
            default: return
            }
        }
    }

    private static func key(forCharacter number: UInt32) -> Key? {
        switch number {
        case 0x03, 0x04: .interrupt
        case 0x0C: .redraw
        case 0x0A, 0x0D: .enter
        case 0x15: .deleteLine
        case 0x1B: .escape
        case 0x7F, 0x08: .backspace
        case 0x02: .pageUp
        case 0x06: .pageDown
        case 0x0E: .down
        case 0x10: .up
        case 0..<0x20: nil
        default: Unicode.Scalar(number).map { .character(Character($0)) }
        }
    }

    private static func key(forCode code: Int32) -> Key? {
        switch code {
        case KEY_UP: .up
        case KEY_DOWN: .down
        case KEY_LEFT: .left
        case KEY_RIGHT: .right
        case KEY_PPAGE: .pageUp
        case KEY_NPAGE: .pageDown
        case KEY_HOME, KEY_A1: .home
        case KEY_END, KEY_C1: .end
        case KEY_ENTER: .enter
        case KEY_BACKSPACE, KEY_DC: .backspace
        default: nil
        }
    }

    /// Returns the pending mouse events, oldest first. ncurses reports a single `KEY_MOUSE` for all events that
    /// arrived together.
    private static func mouseEvents() -> [TerminalInput] {
        var (column, row): (Int32, Int32) = (0, 0)
        var inputs: [TerminalInput] = []
        while true {
            // The C function fills in the position.
            let event = unsafe listd_curses_mouse(&column, &row)
            let click = TerminalInput.click(column: Int(column), row: Int(row))
            switch event {
            case listd_mouse_click: inputs.append(click)
            case listd_mouse_double_click: inputs += [click, click]
            case listd_mouse_wheel_up: inputs.append(.wheel(-1))
            case listd_mouse_wheel_down: inputs.append(.wheel(1))
            case listd_mouse_other: break
            default: return inputs.reversed()
            }
        }
    }
}
