// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "listd-private.h"

G_BEGIN_DECLS

/* Calls a method of the view for the application, as listd_client_call() does; without a view, the task fails. */
void listd_view_call (ListdView *view, const char *method, GVariant *parameters, const char *reply_type, GTask *task);

G_END_DECLS
