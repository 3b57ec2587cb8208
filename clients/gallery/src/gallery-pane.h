// SPDX-License-Identifier: Apache-2.0
/* Shows a list, or why it cannot be shown. */
#pragma once

#include "gallery-screen.h"

G_BEGIN_DECLS

/* `child` shows `list`. While the list loads, a spinner stands in its place; when it fails, the reason. Rows that are there stay. */
GtkWidget *gallery_pane_new (GalleryScreen *screen, ListdList *list, GtkWidget *child);
/* A flow view in a scrolled window, in a pane. `view` gets what its signals and options need before it is given. */
GtkWidget *gallery_pane_new_for_flow (GalleryScreen *screen, ListdFlowView *view, int maximum_width);
/* A filtered list cannot be shown when that which it filters cannot; the name stays. */
void gallery_pane_set_base (GtkWidget *pane, const char *base);
/* What a list without rows says, in texts that stay. */
void gallery_pane_set_empty (GtkWidget *pane, const char *title, const char *text);
/* A text of several lines, all of which are at the edge where the window begins, also when the text reads the other way. */
void gallery_set_lines (GtkLabel *label, const char *text);
/* A number as people write it: 1,000,000. */
char *gallery_format_number (guint64 number);

G_END_DECLS
