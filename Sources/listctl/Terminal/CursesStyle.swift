// SPDX-License-Identifier: Apache-2.0

import CNcurses

/// Maps a style to attributes and colours of the terminal.
///
/// Uses the terminal's eight colours on its own background, so that they fit light and dark ones. Without colours, and
/// with NO_COLOR, attributes are used instead.
struct CursesStyle: Sendable {
    struct Look: Equatable {
        var attributes: UInt32 = 0
        var pair: Int16 = 0
    }

    /// Numbers of the colour pairs; the accents follow.
    private enum Pair: Int16 {
        case cursor = 1, hit, warning, status, key, firstAccent
    }

    let hasColours: Bool

    /// Initialises the colours: on the queue of the terminal, once.
    init(hasColours wanted: Bool) {
        hasColours = wanted && has_colors() && start_color() == OK
        guard hasColours else { return }
        let background: Int16 = use_default_colors() == OK ? -1 : Int16(COLOR_BLACK)
        let foreground: Int16 = background < 0 ? -1 : Int16(COLOR_WHITE)
        _ = init_pair(Pair.cursor.rawValue, Int16(COLOR_BLACK), Int16(COLOR_CYAN))
        _ = init_pair(Pair.hit.rawValue, Int16(COLOR_BLACK), Int16(COLOR_YELLOW))
        _ = init_pair(Pair.warning.rawValue, Int16(COLOR_RED), background)
        _ = init_pair(Pair.status.rawValue, foreground, background)
        _ = init_pair(Pair.key.rawValue, Int16(COLOR_CYAN), background)
        for accent in Style.Accent.allCases {
            _ = init_pair(Pair.firstAccent.rawValue + Int16(accent.rawValue), Self.colour(of: accent), background)
        }
    }

    func look(of style: Style) -> Look {
        var look = hasColours ? coloured(style.role) : plain(style.role)
        if style.isBold { look.attributes |= listd_attribute_bold }
        return look
    }

    private func coloured(_ role: Style.Role) -> Look {
        switch role {
        case .plain: Look()
        case .dim: Look(attributes: listd_attribute_dim)
        case .heading: Look(attributes: listd_attribute_bold | listd_attribute_underline)
        case .status: Look(attributes: listd_attribute_reverse)
        case .key: Look(attributes: listd_attribute_reverse | listd_attribute_bold)
        case .warning: Look(attributes: listd_attribute_bold, pair: Pair.warning.rawValue)
        case .cursor: Look(pair: Pair.cursor.rawValue)
        case .hit: Look(pair: Pair.hit.rawValue)
        case .hitAtCursor: Look(attributes: listd_attribute_underline | listd_attribute_bold, pair: Pair.hit.rawValue)
        case .accent(let accent): Look(pair: Pair.firstAccent.rawValue + Int16(accent.rawValue))
        }
    }

    private func plain(_ role: Style.Role) -> Look {
        switch role {
        case .plain, .accent: Look()
        case .dim: Look(attributes: listd_attribute_dim)
        case .heading: Look(attributes: listd_attribute_bold | listd_attribute_underline)
        case .status, .cursor: Look(attributes: listd_attribute_reverse)
        case .key: Look(attributes: listd_attribute_reverse | listd_attribute_bold)
        case .warning: Look(attributes: listd_attribute_bold)
        case .hit: Look(attributes: listd_attribute_bold | listd_attribute_underline)
        case .hitAtCursor: Look(attributes: listd_attribute_reverse | listd_attribute_bold | listd_attribute_underline)
        }
    }

    private static func colour(of accent: Style.Accent) -> Int16 {
        switch accent {
        case .blue: Int16(COLOR_BLUE)
        case .green: Int16(COLOR_GREEN)
        case .cyan: Int16(COLOR_CYAN)
        case .magenta: Int16(COLOR_MAGENTA)
        case .yellow: Int16(COLOR_YELLOW)
        case .red: Int16(COLOR_RED)
        }
    }
}
