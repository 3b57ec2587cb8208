// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "listd-error.h"

G_BEGIN_DECLS

#define LISTD_TYPE_FILTER (listd_filter_get_type ())

/**
 * ListdFilter:
 *
 * Which objects of a list to show, and in which order.
 */
typedef struct _ListdFilter ListdFilter;

LISTD_API GType listd_filter_get_type (void) G_GNUC_CONST;
LISTD_API ListdFilter *listd_filter_new (void);
LISTD_API ListdFilter *listd_filter_copy (const ListdFilter *self);
LISTD_API void listd_filter_free (ListdFilter *self);
LISTD_API void listd_filter_set_contains (ListdFilter *self, const char *text, const char *const *fields);
LISTD_API void listd_filter_set_object_type (ListdFilter *self, const char *type);
LISTD_API void listd_filter_set_sort (ListdFilter *self, const char *field, gboolean descending);
LISTD_API void listd_filter_set_limit (ListdFilter *self, guint limit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ListdFilter, listd_filter_free)

G_END_DECLS
