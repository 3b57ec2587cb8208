// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "listd-cell-private.h"
#include "listd-widget-pool.h"

G_BEGIN_DECLS

/* Takes a cell that has no parent and no slot. */
void listd_widget_pool_put (ListdWidgetPool *pool, ListdCell *cell);
/* Transfer full; NULL when none waits. */
ListdCell *listd_widget_pool_take (ListdWidgetPool *pool, const char *kind, const char *reuse);

G_END_DECLS
