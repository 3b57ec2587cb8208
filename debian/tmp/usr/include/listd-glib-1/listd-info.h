// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "listd-error.h"

G_BEGIN_DECLS

#define LISTD_TYPE_INFO (listd_info_get_type ())
LISTD_API
G_DECLARE_FINAL_TYPE (ListdInfo, listd_info, LISTD, INFO, GObject)

LISTD_API const char *listd_info_get_name (ListdInfo *self);
LISTD_API const char *listd_info_get_state (ListdInfo *self);
LISTD_API const char *listd_info_get_source (ListdInfo *self);
LISTD_API const char *listd_info_get_source_error (ListdInfo *self);
LISTD_API guint listd_info_get_n_objects (ListdInfo *self);
LISTD_API guint listd_info_get_n_items (ListdInfo *self);
LISTD_API GVariant *listd_info_get_details (ListdInfo *self);

G_END_DECLS
