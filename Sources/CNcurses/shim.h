// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CNCURSES_SHIM_H
#define LISTD_CNCURSES_SHIM_H

// The first macro gives curses.h wide characters, the second declares functions for its macros.
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Parts that Swift cannot import: variables of the library, standard streams, and macros with casts.

/// Takes over the terminal on standard output, and reads keys from a descriptor, which it keeps; returns false when the
/// terminal's kind (TERM) is unknown or cannot move its cursor.
static inline bool listd_curses_begin(int keys) {
    FILE *input = fdopen(keys, "r");
    if (input == NULL || newterm(NULL, stdout, input) == NULL) return false;
    const char *position = tigetstr("cup");
    if (position != NULL && position != (const char *)-1) return true;
    endwin();
    return false;
}

static inline void listd_curses_read_keys(void) {
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
}

/// Reads the next key: OK for a character, KEY_CODE_YES for a function key, ERR when there is none.
static inline int listd_curses_key(uint32_t *key) {
    wint_t read = 0;
    int kind = wget_wch(stdscr, &read);
    *key = (uint32_t)read;
    return kind;
}

// If a button is released before its press was read, ncurses reports a click, and two of those a double click.
#define LISTD_CLICKS (BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED | BUTTON1_TRIPLE_CLICKED)

static inline void listd_curses_report_mouse(void) {
    mousemask(LISTD_CLICKS | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    mouseinterval(0);
}

enum listd_mouse {
    listd_mouse_none, listd_mouse_other, listd_mouse_click, listd_mouse_double_click, listd_mouse_wheel_up,
    listd_mouse_wheel_down
};

/// Reads the next event of the mouse; none when there is none.
static inline enum listd_mouse listd_curses_mouse(int *column, int *row) {
    MEVENT event;
    if (getmouse(&event) != OK) return listd_mouse_none;
    *column = event.x;
    *row = event.y;
    if (event.bstate & (BUTTON1_DOUBLE_CLICKED | BUTTON1_TRIPLE_CLICKED)) return listd_mouse_double_click;
    if (event.bstate & LISTD_CLICKS) return listd_mouse_click;
    if (event.bstate & BUTTON4_PRESSED) return listd_mouse_wheel_up;
    return event.bstate & BUTTON5_PRESSED ? listd_mouse_wheel_down : listd_mouse_other;
}

static inline void listd_curses_erase(void) { werase(stdscr); }
static inline void listd_curses_move(int column, int row) { wmove(stdscr, row, column); }
static inline void listd_curses_style(unsigned attributes, short pair) { wattr_set(stdscr, attributes, pair, NULL); }
static inline void listd_curses_add(const wchar_t *text, int count) { waddnwstr(stdscr, text, count); }
static inline void listd_curses_refresh(void) { wrefresh(stdscr); }
/// Makes the next refresh draw everything, whatever ncurses believes to be on the terminal.
static inline void listd_curses_forget(void) { clearok(curscr, TRUE); }
static inline int listd_curses_columns(void) { return getmaxx(stdscr); }
static inline int listd_curses_rows(void) { return getmaxy(stdscr); }

static const unsigned listd_attribute_bold = A_BOLD;
static const unsigned listd_attribute_dim = A_DIM;
static const unsigned listd_attribute_reverse = A_REVERSE;
static const unsigned listd_attribute_underline = A_UNDERLINE;

#endif
