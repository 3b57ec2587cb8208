// SPDX-License-Identifier: Apache-2.0
/* What a million rows cost in the window, as numbers. */
#pragma once

#include "gallery-window.h"

G_BEGIN_DECLS

/* Fills the screen “A Million Rows”, inserts rows in front and scrolls, prints what that costs each widget, and quits. */
void gallery_figures_take (GalleryWindow *window);

G_END_DECLS
