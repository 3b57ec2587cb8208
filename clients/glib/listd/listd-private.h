// SPDX-License-Identifier: Apache-2.0
/* What the files of the library know of each other. */
#pragma once

#include "listd.h"
#include "listd-chain.h"

G_BEGIN_DECLS

/* The library's own texts, in the language of the program. */
const char *listd_gettext (const char *text) G_GNUC_FORMAT (1);
#define _(text) listd_gettext (text)
#define N_(text) (text)

#define LISTD_NAME "org.listd.Listd1"
#define LISTD_PATH "/org/listd/Listd1"

/* A queue of what happened to one object: signals, replies, owners that come and go. An event that comes while another is handled
 * waits, so that a handler of the application that runs a main loop sees no half-done model. */
typedef struct
{
  GObject *object; /* unowned: the object that the queue is part of */
  GQueue events;
  gboolean busy;
} ListdQueue;

typedef void (*ListdEventFunc) (gpointer object, gpointer data);

void listd_queue_init (ListdQueue *queue, gpointer object);
void listd_queue_clear (ListdQueue *queue);
/* Adds an event, which `listd_queue_run` handles, unless the queue is handling one already. */
void listd_queue_add (ListdQueue *queue, ListdEventFunc func, gpointer data, GDestroyNotify destroy);
void listd_queue_run (ListdQueue *queue);
/* Does both. */
void listd_queue_post (ListdQueue *queue, ListdEventFunc func, gpointer data, GDestroyNotify destroy);
/* Posts in a later turn of the main loop, or later still, unless the object is gone. `source` is where the object keeps what waits: as
 * long as it is there, nothing else is posted. */
void listd_queue_post_later (ListdQueue *queue, ListdClient *client, GSource **source, guint milliseconds, ListdEventFunc func);
void listd_queue_cancel (GSource **source);

/* What lists, views and directories hear from their client, by their queue. */
typedef struct
{
  void (*up) (gpointer object);   /* listd is there, and its features are known */
  void (*down) (gpointer object); /* what was known of listd ended */
  void (*appeared) (gpointer object, const char *path);
  void (*disappeared) (gpointer object, const char *path);
} ListdMemberFuncs;

typedef void (*ListdSignalFunc) (gpointer object, const char *path, const char *member, GVariant *parameters, gpointer data);
typedef void (*ListdReplyFunc) (gpointer object, GVariant *reply, const GError *error, gpointer data);

void listd_client_add_member (ListdClient *client, ListdQueue *queue, const ListdMemberFuncs *funcs);
void listd_client_remove_member (ListdClient *client, ListdQueue *queue);
gboolean listd_client_is_up (ListdClient *client);
/* Another number with each owner of the name: paths of views mean something to one of them only. */
guint listd_client_get_generation (ListdClient *client);
gboolean listd_client_has_feature (ListdClient *client, const char *feature);
/* Calls a method, and posts its answer to the queue of `object`, unless the object or the owner of the name is gone by then.
 * `reply_type` is what the answer must be. Takes floating parameters. */
void listd_client_ask (ListdClient *client, ListdQueue *queue, const char *path, const char *interface, const char *method,
                       GVariant *parameters, const char *reply_type, ListdReplyFunc func, gpointer data, GDestroyNotify destroy);
/* Calls a method without waiting for its answer. */
void listd_client_tell (ListdClient *client, const char *path, const char *interface, const char *method, GVariant *parameters);
/* Calls a method for the application. The result is that of g_task_return_pointer() with a GVariant. */
void listd_client_call (ListdClient *client, const char *path, const char *interface, const char *method, GVariant *parameters,
                        const char *reply_type, GUnixFDList *descriptors, GTask *task);
/* Hears a signal, and posts it to a queue unless its object is gone by then. `path` is the sender's, or NULL for any; `type` what the
 * parameters must be, or NULL. `data` must live until the subscription ends. A `unicast` signal needs no rule of the bus. */
guint listd_client_subscribe (ListdClient *client, ListdQueue *queue, const char *path, const char *interface, const char *member,
                              const char *type, gboolean unicast, ListdSignalFunc func, gpointer data);
/* Whether a listd_client_call() was answered: the end of a task of which nothing else is wanted. */
gboolean listd_reply_arrived (GAsyncResult *result, GError **error);
/* Ends a subscription, if there is one, and forgets its number. Signals that wait in the queue are dropped. */
void listd_client_unsubscribe (ListdClient *client, guint *subscription);

char *listd_path_of_list (const char *name);
GSource *listd_client_attach (ListdClient *client, GSource *source, GSourceFunc func, gpointer data, GDestroyNotify destroy);

/* Items. The fields are those of ListdList: it alone changes them. */
#define LISTD_NO_POSITION G_MAXUINT
#define LISTD_NO_SLOT G_MAXUINT

struct _ListdItem
{
  GObject parent_instance;

  GWeakRef owner; /* the list or the view that it is of */
  gpointer rows;  /* the ListdRows that knows it, unowned; NULL when none does */
  guint position; /* in the list's model, or LISTD_NO_POSITION */
  guint target;   /* while the model changes: where it will be */
  guint slot;     /* the view's slot that shows it, or LISTD_NO_SLOT */
  guint64 unsure; /* the last revision that may have changed what the slot shows */
  gboolean dirty;
  gboolean asked;
  gboolean renumbered; /* its number changed, and nobody was told */
  gboolean selected;

  gboolean loaded;
  guint number;
  char *id;
  char *reuse_identifier;
  GVariant *content;
};

ListdItem *listd_item_new (gpointer owner, guint position);
/* TRUE when something differs. Emits nothing. */
gboolean listd_item_fill (ListdItem *item, const char *id, guint number, const char *reuse_identifier, GVariant *content);
void listd_item_emit_changed (ListdItem *item);
/* Tells of a number that changed with the place. */
void listd_item_tell_number (ListdItem *item);
void listd_item_set_selected (ListdItem *item, gboolean selected);
/* The item goes. */
void listd_rows_forget (gpointer rows, ListdItem *item);
void listd_list_invoke (ListdList *list, const char *id, guint number, const char *action, GVariant *parameters, GTask *task);
char *listd_format_value (GVariant *value, const char *hint);

/* Texts of a filter, after `?` in the source of a list made from a list. */
char *listd_filter_to_argument (ListdFilter *filter);
/* Calls `func` when the model is at `revision` or later, or when it will never be. */
void listd_list_when_at (ListdList *list, guint64 revision, ListdEventFunc func, gpointer data, GDestroyNotify destroy);
const char *listd_list_get_path (ListdList *list);
ListdTransaction *listd_transaction_new (ListdList *list, guint64 expected_revision);

gboolean listd_error_is (const GError *error, ListdError code);

G_END_DECLS
