// SPDX-License-Identifier: Apache-2.0
/* A real listd on a bus of its own, with all files in a temporary directory. */
#pragma once

#include "listd.h"

typedef struct _Stage Stage;

typedef enum
{
  STAGE_DAEMON,
  STAGE_BROKER,
  STAGE_DIRECT,
} StageKind;

Stage *stage_new (StageKind kind);
void stage_free (Stage *stage);
/* The address for clients: of the bus, or of listd's own socket. */
const char *stage_address (Stage *stage);
void stage_stop_listd (Stage *stage, int number);
void stage_start_listd (Stage *stage);
void stage_signal (Stage *stage, int number);
/* Ends the bus, and with it listd, and starts both again. */
void stage_restart_bus (Stage *stage);

/* Calls a method on a connection of the stage's own, and ends the test when it fails. */
GVariant *stage_call (Stage *stage, const char *path, const char *interface, const char *method, GVariant *parameters);
/* The same, but hands out the error. */
GVariant *stage_try (Stage *stage, const char *path, const char *interface, const char *method, GVariant *parameters, GError **error);
char *stage_path (const char *name);
void stage_create (Stage *stage, const char *name, const char *options);
/* `n` objects `o0`, `o1` … with a field `text`. */
void stage_fill (Stage *stage, const char *name, guint n);
guint64 stage_apply (Stage *stage, const char *name, const char *removed, const char *upserts);

/* Runs the main loop until the condition is true, at most 30 s. */
#define stage_wait(condition)                                                                                                                      \
  G_STMT_START                                                                                                                                     \
  {                                                                                                                                                \
    gint64 until = g_get_monotonic_time () + 30 * G_TIME_SPAN_SECOND;                                                                              \
    guint alarm = g_timeout_add (1000, stage_wake, NULL);                                                                                          \
    while (!(condition) && g_get_monotonic_time () < until)                                                                                        \
      g_main_context_iteration (NULL, TRUE);                                                                                                       \
    g_source_remove (alarm);                                                                                                                       \
    if (!(condition))                                                                                                                              \
      g_error ("%s:%d: this never became true: %s", __FILE__, __LINE__, #condition);                                                               \
  }                                                                                                                                                \
  G_STMT_END
gboolean stage_wake (gpointer data);
/* The result of an asynchronous call: a GAsyncReadyCallback that keeps it in a GAsyncResult **. */
void stage_keep (GObject *source, GAsyncResult *result, gpointer place);
