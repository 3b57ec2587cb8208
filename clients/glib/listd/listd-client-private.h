// SPDX-License-Identifier: Apache-2.0
/* What the files of ListdClient share: its connection, and what goes over it. */
#pragma once

#include "listd-private.h"

G_BEGIN_DECLS

struct _ListdClient
{
  GObject parent_instance;

  GBusType bus;
  char *address;
  GMainContext *context;
  GCancellable *cancellable;
  GDBusConnection *connection;
  char *owner;
  char **features;
  gboolean up;
  guint generation; /* of the owner of the name */
  guint64 wait;     /* milliseconds until the next attempt to connect */
  GSource *retry;
  guint owner_subscription, added_subscription, removed_subscription;
  GPtrArray *members; /* of Member */
  GHashTable *subscribers; /* subscription -> Subscriber, referenced */
};

GHashTable *listd_subscribers_new (void);
/* A subscription of the client's own, which is told at once. `argument` is the first one that the signal must have, or NULL. */
guint listd_client_subscribe_self (ListdClient *client, const char *sender, const char *path, const char *interface, const char *member,
                                   const char *argument, const char *type, ListdSignalFunc func);

G_END_DECLS
