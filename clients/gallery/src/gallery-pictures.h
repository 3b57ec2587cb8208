// SPDX-License-Identifier: Apache-2.0
/* Pictures of the window, for documents and for people without a display. */
#pragma once

#include "gallery-window.h"

G_BEGIN_DECLS

/* Shows the screens one after another (those in `only`, or all), writes each light and dark into `folder`, and quits. */
void gallery_pictures_take (GalleryWindow *window, const char *folder, const char *only, double scale);

G_END_DECLS
