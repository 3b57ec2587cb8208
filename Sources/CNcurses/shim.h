// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CNCURSES_SHIM_H
#define LISTD_CNCURSES_SHIM_H

// NCURSES_WIDECHAR enables wide characters; NCURSES_NOMACROS declares functions in place of macros.
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Functions for what Swift cannot import: variables of the library, standard streams, and macros with casts.

/// Takes over the terminal on standard output and reads keys from a descriptor, which ncurses then owns. Returns
/// false when the terminal type (TERM) is unknown or cannot position its cursor.
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

/// Reads the next key. Returns OK for a character, KEY_CODE_YES for a function key, ERR when no key is pending.
static inline int listd_curses_key(uint32_t *key) {
    wint_t read = 0;
    int kind = wget_wch(stdscr, &read);
    *key = (uint32_t)read;
    return kind;
}

// If a button was released before its press was read, ncurses reports a click, and for two of these a double click.
#define LISTD_CLICKS (BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED | BUTTON1_TRIPLE_CLICKED)

static inline void listd_curses_report_mouse(void) {
    mousemask(LISTD_CLICKS | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    mouseinterval(0);
}

enum listd_mouse {
    listd_mouse_none, listd_mouse_other, listd_mouse_click, listd_mouse_double_click, listd_mouse_wheel_up,
    listd_mouse_wheel_down
};

/// Reads the next mouse event; listd_mouse_none when no event is pending.
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
/// Makes the next refresh redraw the whole terminal, regardless of ncurses' record of its contents.
static inline void listd_curses_forget(void) { clearok(curscr, TRUE); }
static inline int listd_curses_columns(void) { return getmaxx(stdscr); }
static inline int listd_curses_rows(void) { return getmaxy(stdscr); }

static const unsigned listd_attribute_bold = A_BOLD;
static const unsigned listd_attribute_dim = A_DIM;
static const unsigned listd_attribute_reverse = A_REVERSE;
static const unsigned listd_attribute_underline = A_UNDERLINE;

#endif
