// SPDX-License-Identifier: Apache-2.0

import CNcurses

/// The mapping of styles to attributes and colours of the terminal.
///
/// It uses the terminal's eight colours on the terminal's own background, which suits light and dark terminals. On a
/// terminal without colours, and with NO_COLOR, it uses attributes instead.
struct CursesStyle: Sendable {
    struct Appearance: Equatable {
        var attributes: UInt32 = 0
        var pair: Int16 = 0
    }

    /// The numbers of the colour pairs. The pairs of all accents follow from `firstAccent` on.
    private enum Pair: Int16 {
        case cursor = 1, hit, warning, status, key, firstAccent
    }

    let hasColours: Bool

    /// Initialises ncurses' colours. Call it once, on the terminal's queue.
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

    func appearance(of style: Style) -> Appearance {
        var appearance = hasColours ? coloured(style.role) : plain(style.role)
        if style.isBold { appearance.attributes |= listd_attribute_bold }
        return appearance
    }

    private func coloured(_ role: Style.Role) -> Appearance {
        switch role {
        case .plain: Appearance()
        case .dim: Appearance(attributes: listd_attribute_dim)
        case .heading: Appearance(attributes: listd_attribute_bold | listd_attribute_underline)
        case .status: Appearance(attributes: listd_attribute_reverse)
        case .key: Appearance(attributes: listd_attribute_reverse | listd_attribute_bold)
        case .warning: Appearance(attributes: listd_attribute_bold, pair: Pair.warning.rawValue)
        case .cursor: Appearance(pair: Pair.cursor.rawValue)
        case .hit: Appearance(pair: Pair.hit.rawValue)
        case .hitAtCursor:
            Appearance(attributes: listd_attribute_underline | listd_attribute_bold, pair: Pair.hit.rawValue)
        case .accent(let accent): Appearance(pair: Pair.firstAccent.rawValue + Int16(accent.rawValue))
        }
    }

    private func plain(_ role: Style.Role) -> Appearance {
        switch role {
        case .plain, .accent: Appearance()
        case .dim: Appearance(attributes: listd_attribute_dim)
        case .heading: Appearance(attributes: listd_attribute_bold | listd_attribute_underline)
        case .status, .cursor: Appearance(attributes: listd_attribute_reverse)
        case .key: Appearance(attributes: listd_attribute_reverse | listd_attribute_bold)
        case .warning: Appearance(attributes: listd_attribute_bold)
        case .hit: Appearance(attributes: listd_attribute_bold | listd_attribute_underline)
        case .hitAtCursor:
            Appearance(attributes: listd_attribute_reverse | listd_attribute_bold | listd_attribute_underline)
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
