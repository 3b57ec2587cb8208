// SPDX-License-Identifier: Apache-2.0

/// The help page that the key `?` shows.
enum HelpPage {
    /// The keys and their effects, short enough for 40 columns. A row without keys is a heading.
    static let rows: [(keys: String, meaning: String)] = [
        ("", "Moving"),
        ("↑ ↓  k j", "a row up, down"),
        ("← →  h l", "beside; long titles"),
        ("Space PgDn", "a screen down"),
        ("b  PgUp", "a screen up"),
        ("g  Home", "the beginning"),
        ("G  End", "the end"),
        ("", "Finding"),
        ("/", "find as you type"),
        ("n  N", "next, previous"),
        ("&", "show only hits"),
        ("Esc", "show everything"),
        ("", "Doing"),
        ("Enter", "select; go to a hit"),
        ("a  1…9", "actions of a row; do"),
        ("Ctrl-L", "draw anew"),
        ("q  Ctrl-C", "quit"),
        ("", "The mouse"),
        ("click", "cursor; again: Enter"),
        ("wheel", "three rows"),
        ("", "In the margins"),
        ("●", "selected"),
        ("▐", "on the screen"),
        ("▒", "working range"),
    ]
}
