// SPDX-License-Identifier: Apache-2.0
/* What does not arrive, or only when it is asked for: signals that get lost, pictures that are held back, answers in pages. */
#include "listd-client-private.h"
#include "stage.h"

#include <signal.h>
#include <string.h>

/* Signals of listd that do not come to a client. */
typedef struct
{
  gint updates, pictures; /* whether they get lost */
  gint n_updates, n_pictures; /* how many were */
} Loss;

/* Runs in the thread of the connection. */
static GDBusMessage *
lose (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  Loss *loss = data;
  const char *member = g_dbus_message_get_member (message);

  if (!incoming)
    return message;
  if (g_strcmp0 (member, "Updated") == 0 && g_atomic_int_get (&loss->updates))
    g_atomic_int_inc (&loss->n_updates);
  else if (g_strcmp0 (member, "Changed") == 0 && g_atomic_int_get (&loss->pictures))
    g_atomic_int_inc (&loss->n_pictures);
  else
    return message;
  g_object_unref (message);
  return NULL;
}

typedef struct
{
  Stage *stage;
  ListdClient *client;
  ListdList *list;
  Loss loss;
  guint filter;
} Lossy;

static guint
n_items (ListdList *list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (list));
}

static gboolean
is_ready (ListdList *list, guint n)
{
  return listd_list_get_state (list) == LISTD_LIST_STATE_READY && n_items (list) == n;
}

static ListdItem *
loaded_at (ListdList *list, guint position)
{
  ListdItem *item = g_list_model_get_item (G_LIST_MODEL (list), position);

  stage_wait (listd_item_get_loaded (item));
  return item;
}

static void
lossy_init (Lossy *self, StageKind kind)
{
  self->stage = stage_new (kind);
  stage_create (self->stage, "lossy", NULL);
  stage_fill (self->stage, "lossy", 100);
  self->client = listd_client_new_for_address (stage_address (self->stage));
  self->list = listd_list_new (self->client, "lossy");
  stage_wait (is_ready (self->list, 100));
  self->loss = (Loss){ 0 };
  self->filter = g_dbus_connection_add_filter (self->client->connection, lose, &self->loss, NULL);
}

/* What listd has sent until now has come, or got lost. */
static void
wait_for_signals (Lossy *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (self->client->connection, "org.listd.Listd1", "/org/listd/Listd1",
                                                            "org.freedesktop.DBus.Peer", "Ping", NULL, NULL, G_DBUS_CALL_FLAGS_NONE, 30000,
                                                            NULL, &error);
  g_assert_no_error (error);
}

static void
lossy_clear (Lossy *self)
{
  g_dbus_connection_remove_filter (self->client->connection, self->filter);
  g_object_unref (self->list);
  g_object_unref (self->client);
  stage_free (self->stage);
}

static void
between (gconstpointer data)
{
  Lossy self;
  g_autoptr (ListdItem) item = NULL;
  g_autofree char *epoch = NULL;
  guint64 revision;

  lossy_init (&self, GPOINTER_TO_INT (data));
  item = loaded_at (self.list, 50);
  epoch = g_strdup (listd_list_get_epoch (self.list));
  self.loss.updates = self.loss.pictures = TRUE;
  stage_apply (self.stage, "lossy", "['o1', 'o2']", NULL);
  stage_apply (self.stage, "lossy", NULL, "[('o50', '', 'first', '', {'text': <'moved'>})]");
  wait_for_signals (&self);
  g_assert_cmpint (g_atomic_int_get (&self.loss.n_updates), >=, 2);
  g_atomic_int_set (&self.loss.updates, FALSE);
  revision = stage_apply (self.stage, "lossy", NULL, "[('new', '', 'first', '', {'text': <'new'>})]");
  stage_wait (listd_list_get_revision (self.list) == revision);
  g_assert_true (is_ready (self.list, 99));
  g_assert_cmpuint (listd_list_get_position (self.list, item), ==, 1);
  /* The changes were asked for: nothing was opened anew. */
  g_assert_cmpstr (listd_list_get_epoch (self.list), ==, epoch);
  {
    g_autoptr (ListdItem) third = loaded_at (self.list, 3);
    g_assert_cmpstr (listd_item_get_id (third), ==, "o3");
  }
  lossy_clear (&self);
}

static void
last_before_picture (void)
{
  Lossy self;
  g_autoptr (ListdItem) item = NULL;
  guint64 revision;

  lossy_init (&self, STAGE_DAEMON);
  item = loaded_at (self.list, 0);
  self.loss.updates = TRUE;
  /* Nothing is written after it, but what is visible is another. */
  revision = stage_apply (self.stage, "lossy", NULL, "[('new', '', 'first', '', {'text': <'new'>})]");
  stage_wait (listd_list_get_revision (self.list) == revision);
  g_assert_cmpint (g_atomic_int_get (&self.loss.n_updates), >=, 1);
  g_assert_true (is_ready (self.list, 101));
  g_assert_cmpuint (listd_list_get_position (self.list, item), ==, 1);
  lossy_clear (&self);
}

static void
last_before_answer (void)
{
  Lossy self;
  g_autoptr (ListdTransaction) transaction = NULL;
  g_autoptr (GAsyncResult) written = NULL;
  g_autoptr (GError) error = NULL;

  lossy_init (&self, STAGE_DAEMON);
  self.loss.updates = self.loss.pictures = TRUE;
  transaction = listd_list_begin (self.list, 0);
  listd_transaction_remove (transaction, "o7");
  listd_transaction_commit_async (transaction, NULL, stage_keep, &written);
  stage_wait (written != NULL);
  g_assert_cmpuint (listd_transaction_commit_finish (transaction, written, &error), ==, listd_list_get_revision (self.list));
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&self.loss.n_updates), >=, 1);
  g_assert_true (is_ready (self.list, 99));
  lossy_clear (&self);
}

static void
lost_picture (void)
{
  Lossy self;
  g_autoptr (ListdItem) item = NULL;

  lossy_init (&self, STAGE_DAEMON);
  item = loaded_at (self.list, 0);
  self.loss.pictures = TRUE;
  stage_apply (self.stage, "lossy", NULL, "[('o0', '', 'keep', '', {'text': <'lost'>})]");
  wait_for_signals (&self);
  g_assert_cmpint (g_atomic_int_get (&self.loss.n_pictures), ==, 1);
  g_atomic_int_set (&self.loss.pictures, FALSE);
  {
    /* The next picture is about another item. */
    g_autoptr (ListdItem) other = loaded_at (self.list, 1);
    stage_apply (self.stage, "lossy", NULL, "[('o1', '', 'keep', '', {'text': <'other'>})]");
    stage_wait (g_str_equal (listd_item_get_string (other, "text"), "other") && g_str_equal (listd_item_get_string (item, "text"), "lost"));
  }
  lossy_clear (&self);
}

static void
add_shift (ListdView *view, double *y)
{
  *y += listd_view_get_shift_y (view);
  listd_view_acknowledge (view);
}

/* The picture that is lost had moved the viewport. */
static void
lost_shift (void)
{
  Lossy self;
  g_autoptr (ListdView) view = NULL;
  double y = 880;

  lossy_init (&self, STAGE_DAEMON);
  view = listd_view_new (self.client, "lossy", NULL);
  g_signal_connect (view, "picture", G_CALLBACK (add_shift), &y);
  listd_view_set_viewport (view, 0, 880, 300, 440);
  stage_wait (g_list_model_get_n_items (listd_view_get_slots (view)) > 0 && listd_view_get_offset_y (view) == 880);
  self.loss.pictures = TRUE;
  stage_apply (self.stage, "lossy", NULL, "[('new', '', 'first', '', {'text': <'new'>})]");
  wait_for_signals (&self);
  g_assert_cmpint (g_atomic_int_get (&self.loss.n_pictures), >, 0);
  g_atomic_int_set (&self.loss.pictures, FALSE);
  stage_apply (self.stage, "lossy", NULL, "[('o20', '', 'keep', '', {'text': <'other'>})]");
  stage_wait (listd_view_get_offset_y (view) == 924);
  g_assert_cmpfloat (y, ==, 924);
  g_signal_handlers_disconnect_by_data (view, &y);
  lossy_clear (&self);
}

static void
until_open (Stage *stage, const char *part)
{
  for (gboolean open = FALSE; !open;)
    {
      g_autoptr (GVariant) views = stage_call (stage, "/org/listd/Listd1", "Manager", "ListViews", NULL);
      g_autofree char *text = g_variant_print (views, FALSE);
      open = strstr (text, part) != NULL;
    }
}

/* The view has ended before the program hears that it was opened, and so before it can hear of the end. */
static void
ended_before_opened (void)
{
  Lossy self;
  g_autoptr (ListdView) view = NULL;

  lossy_init (&self, STAGE_DAEMON);
  stage_create (self.stage, "short", NULL);
  view = listd_view_new (self.client, "short", NULL);
  listd_view_set_viewport (view, 0, 0, 300, 440);
  until_open (self.stage, "/adapters/short");
  g_variant_unref (stage_call (self.stage, "/org/listd/Listd1", "Manager", "RemoveAdapter", g_variant_new ("(s)", "short")));
  stage_create (self.stage, "short", NULL);
  stage_fill (self.stage, "short", 3);
  wait_for_signals (&self);
  stage_wait (g_list_model_get_n_items (listd_view_get_slots (view)) == 3);
  g_variant_unref (stage_call (self.stage, "/org/listd/Listd1", "Manager", "RemoveAdapter", g_variant_new ("(s)", "short")));
  stage_wait (listd_view_get_state (view) == LISTD_VIEW_STATE_FAILED);
  lossy_clear (&self);
}

/* What hears of lists as lists and views do. */
typedef struct
{
  GObject *object;
  ListdQueue queue;
  Stage *stage;
  ListdClient *client;
  GString *heard;
  gboolean makes_again; /* when the list goes, and runs the main loop until everybody could hear of that */
} Hearer;

static void
on_change_of_owner (gpointer object)
{
}

static void
on_added (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member, GVariant *parameters,
          gpointer heard)
{
  *(gboolean *) heard = TRUE;
}

static void
hear_appeared (gpointer object, const char *path)
{
  Hearer *self = g_object_get_data (object, "hearer");
  g_string_append_c (self->heard, '+');
}

static void
hear_disappeared (gpointer object, const char *path)
{
  Hearer *self = g_object_get_data (object, "hearer");
  gboolean heard = FALSE;
  guint subscription;

  g_string_append_c (self->heard, '-');
  if (!self->makes_again)
    return;
  subscription = g_dbus_connection_signal_subscribe (self->client->connection, self->client->owner, NULL, "InterfacesAdded", NULL, NULL,
                                                     G_DBUS_SIGNAL_FLAGS_NONE, on_added, &heard, NULL);
  stage_create (self->stage, "lossy", NULL);
  stage_wait (heard);
  g_dbus_connection_signal_unsubscribe (self->client->connection, subscription);
}

static void
heard_in_order (void)
{
  static const ListdMemberFuncs funcs = { on_change_of_owner, on_change_of_owner, hear_appeared, hear_disappeared };
  Lossy self;
  Hearer hearers[2] = { 0 };

  lossy_init (&self, STAGE_DAEMON);
  for (guint i = 0; i < G_N_ELEMENTS (hearers); i++)
    {
      hearers[i] = (Hearer){ .object = g_object_new (G_TYPE_OBJECT, NULL), .stage = self.stage, .client = self.client };
      hearers[i].heard = g_string_new (NULL);
      hearers[i].makes_again = i == 0;
      g_object_set_data (hearers[i].object, "hearer", &hearers[i]);
      listd_queue_init (&hearers[i].queue, hearers[i].object);
      listd_client_add_member (self.client, &hearers[i].queue, &funcs);
    }
  g_variant_unref (stage_call (self.stage, "/org/listd/Listd1", "Manager", "RemoveAdapter", g_variant_new ("(s)", "lossy")));
  for (guint i = 0; i < G_N_ELEMENTS (hearers); i++)
    {
      stage_wait (hearers[i].heard->len == 2);
      g_assert_cmpstr (hearers[i].heard->str, ==, "-+");
      listd_client_remove_member (self.client, &hearers[i].queue);
      listd_queue_clear (&hearers[i].queue);
      g_object_unref (hearers[i].object);
      g_string_free (hearers[i].heard, TRUE);
    }
  lossy_clear (&self);
}

/* What is held back comes to the client. */
static void
let_go (Lossy *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusConnection) other
      = g_dbus_connection_new_for_address_sync (stage_address (self->stage),
                                                G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
                                                    | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                                NULL, NULL, &error);

  g_assert_no_error (error);
  g_dbus_connection_emit_signal (other, g_dbus_connection_get_unique_name (self->client->connection), "/test", "org.listd.Test", "LetGo", NULL,
                                 &error);
  g_assert_no_error (error);
  g_dbus_connection_flush_sync (other, NULL, &error);
  g_assert_no_error (error);
  g_dbus_connection_close_sync (other, NULL, NULL);
}

/* The answer of a search, which a list that is read anew waits for. */
typedef struct
{
  gint serial; /* of the question */
  GDBusMessage *answer;
  gint held;
} Search;

static GDBusMessage *
hold_answer (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  Search *search = data;

  if (!incoming)
    {
      if (g_strcmp0 (g_dbus_message_get_member (message), "FindObject") == 0 && search->serial == 0)
        search->serial = g_dbus_message_get_serial (message);
      return message;
    }
  if (search->serial != 0 && search->answer == NULL && g_dbus_message_get_reply_serial (message) == (guint32) search->serial)
    {
      search->answer = message;
      g_atomic_int_set (&search->held, TRUE);
      return NULL;
    }
  if (g_strcmp0 (g_dbus_message_get_member (message), "LetGo") == 0 && search->answer != NULL)
    {
      g_object_unref (message);
      return g_steal_pointer (&search->answer);
    }
  return message;
}

/* The rows are still those of the list that is gone, and the one that was made in its place counts its revisions from the beginning. */
static void
other_epoch (void)
{
  Lossy self;
  Search search = { 0, NULL, FALSE };
  g_autoptr (ListdItem) item = NULL;
  g_autoptr (ListdItem) first = NULL;
  g_autofree char *epoch = NULL;
  guint64 revision;
  guint filter;

  lossy_init (&self, STAGE_DAEMON);
  item = loaded_at (self.list, 50);
  revision = stage_apply (self.stage, "lossy", NULL, "[('o99', '', 'keep', '', {'text': <'other'>})]");
  stage_wait (listd_list_get_revision (self.list) == revision);
  epoch = g_strdup (listd_list_get_epoch (self.list));
  filter = g_dbus_connection_add_filter (self.client->connection, hold_answer, &search, NULL);
  /* All of it while the main loop does not run. */
  stage_stop_listd (self.stage, SIGKILL);
  stage_start_listd (self.stage);
  g_variant_unref (stage_call (self.stage, "/org/listd/Listd1", "Manager", "RemoveAdapter", g_variant_new ("(s)", "lossy")));
  stage_create (self.stage, "lossy", NULL);
  stage_fill (self.stage, "lossy", 100);
  g_assert_cmpuint (stage_apply (self.stage, "lossy", NULL, "[('o50', '', 'first', '', {'text': <'moved'>})]"), ==, revision);

  stage_wait (g_atomic_int_get (&search.held));
  first = g_list_model_get_item (G_LIST_MODEL (self.list), 0);
  for (guint i = 0; i < 5; i++)
    {
      while (g_main_context_iteration (NULL, FALSE))
        ;
      wait_for_signals (&self);
    }
  /* It is `o0` of the old list, and no content of the new one. */
  g_assert_cmpstr (listd_list_get_epoch (self.list), ==, epoch);
  g_assert_false (listd_item_get_loaded (first));
  let_go (&self);
  stage_wait (is_ready (self.list, 100) && g_strcmp0 (listd_list_get_epoch (self.list), epoch) != 0);
  g_assert_cmpuint (listd_list_get_position (self.list, item), ==, 0);
  g_assert_cmpuint (listd_list_get_position (self.list, first), ==, G_MAXUINT);
  {
    g_autoptr (ListdItem) second = loaded_at (self.list, 1);
    g_assert_cmpstr (listd_item_get_id (second), ==, "o0");
  }
  g_dbus_connection_remove_filter (self.client->connection, filter);
  lossy_clear (&self);
}

/* Runs in the thread of the connection: an update deletes a section more than the list has. */
static GDBusMessage *
distort (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  gint *distorted = data;
  GVariant *body = g_dbus_message_get_body (message);
  GVariantBuilder builder;
  GDBusMessage *copy;

  if (!incoming || g_strcmp0 (g_dbus_message_get_member (message), "Updated") != 0)
    return message;
  g_variant_builder_init (&builder, g_variant_get_type (body));
  for (gsize i = 0; i < g_variant_n_children (body); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (body, i);

      if (i == 7)
        g_variant_builder_add_parsed (&builder, "(@a(uu) [(1, 1), (3, 1)], @a(uu) [], @a(uu) [], @a(uu) [])");
      else
        g_variant_builder_add_value (&builder, child);
    }
  copy = g_dbus_message_copy (message, NULL);
  g_dbus_message_set_body (copy, g_variant_builder_end (&builder));
  g_object_unref (message);
  g_atomic_int_inc (distorted);
  return copy;
}

static void
other_list (void)
{
  Lossy self;
  g_autoptr (ListdItem) item = NULL;
  gint distorted = 0;
  guint64 revision;
  guint filter;

  lossy_init (&self, STAGE_DAEMON);
  item = loaded_at (self.list, 50);
  filter = g_dbus_connection_add_filter (self.client->connection, distort, &distorted, NULL);
  revision = stage_apply (self.stage, "lossy", "['o1']", NULL);
  stage_wait (listd_list_get_revision (self.list) == revision);
  g_assert_cmpint (g_atomic_int_get (&distorted), ==, 1);
  g_dbus_connection_remove_filter (self.client->connection, filter);
  g_assert_true (is_ready (self.list, 99));
  g_assert_cmpuint (listd_list_get_position (self.list, item), ==, 49);
  {
    g_autoptr (ListdItem) third = loaded_at (self.list, 2);
    g_assert_cmpstr (listd_item_get_id (third), ==, "o3");
  }
  lossy_clear (&self);
}

/* What is shown again is too large for the credit that is left, and the client has no reason to acknowledge by itself. */
static void
stalls (void)
{
  static const guint lengths[] = { 100, 200 };
  Lossy self;
  g_autoptr (ListdItem) item = NULL;

  lossy_init (&self, STAGE_DAEMON);
  item = loaded_at (self.list, 0);
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autofree char *text = g_strnfill (lengths[i] * 1024, 'x');
      g_autofree char *upserts = g_strdup_printf ("[('o0', '', 'keep', '', {'text': <'%s'>})]", text);

      stage_apply (self.stage, "lossy", NULL, upserts);
      stage_wait (strlen (listd_item_get_string (item, "text")) == lengths[i] * 1024);
    }
  lossy_clear (&self);
}

/* More pictures than credit, while the program does something else. */
static void
sleeps (void)
{
  Lossy self;
  g_autoptr (ListdItem) item = NULL;

  lossy_init (&self, STAGE_DAEMON);
  item = loaded_at (self.list, 0);
  for (guint i = 0; i < 100; i++)
    {
      g_autofree char *upserts = g_strdup_printf ("[('o0', '', 'keep', '', {'text': <'%u'>})]", i);
      stage_apply (self.stage, "lossy", NULL, upserts);
    }
  stage_wait (g_str_equal (listd_item_get_string (item, "text"), "99"));
  lossy_clear (&self);
}

/* More sections than listd tells the numbers of items of in one answer, and not one item each. */
static void
counts_in_pages (void)
{
  enum
  {
    N = 270000
  };
  Stage *stage = stage_new (STAGE_DIRECT);
  g_autoptr (ListdClient) client = listd_client_new_for_address (stage_address (stage));
  g_autoptr (ListdList) list = NULL;
  g_autoptr (GVariant) reply = NULL;
  guint64 revision;

  stage_create (stage, "pages", "{'durability': <'memory'>, 'section-controllers': <{'*': 'listd/single', 'many': 'listd/binding'}>}");
  stage_fill (stage, "pages", N);
  /* A pair before each end of a page, and an object without items. */
  stage_apply (stage, "pages", NULL,
               "[('o10', 'many', 'keep', '', {'items': <[{'id': <'a'>}, {'id': <'b'>}]>}), ('o20', 'many', 'keep', '', {'items': <@aa{sv} []>}), "
               "('o269990', 'many', 'keep', '', {'items': <[{'id': <'a'>}, {'id': <'b'>}, {'id': <'c'>}]>})]");
  list = listd_list_new (client, "pages");
  stage_wait (is_ready (list, N + 2));
  {
    g_autoptr (ListdItem) second = loaded_at (list, 11);
    g_autoptr (ListdItem) third = loaded_at (list, 269992);
    g_autoptr (ListdItem) last = loaded_at (list, N + 1);

    g_assert_cmpstr (listd_item_get_id (second), ==, "o10");
    g_assert_cmpuint (listd_item_get_item (second), ==, 1);
    g_assert_cmpstr (listd_item_get_id (third), ==, "o269990");
    g_assert_cmpuint (listd_item_get_item (third), ==, 2);
    g_assert_cmpstr (listd_item_get_id (last), ==, "o269999");

    /* A change before them moves them all by the right number. */
    revision = stage_apply (stage, "pages", "['o10']", "[('o0', 'many', 'keep', '', {'items': <[{'id': <'a'>}, {'id': <'b'>}]>})]");
    stage_wait (listd_list_get_revision (list) == revision);
    g_assert_cmpuint (n_items (list), ==, N + 1);
    g_assert_cmpuint (listd_list_get_position (list, second), ==, G_MAXUINT);
    g_assert_cmpuint (listd_list_get_position (list, third), ==, 269991);
    g_assert_cmpuint (listd_list_get_position (list, last), ==, N);
    /* All of it is read anew. */
    reply = stage_call (stage, "/org/listd/Listd1/adapters/pages", "Adapter", "ReloadData", NULL);
    g_variant_get_child (reply, 0, "t", &revision);
    stage_wait (listd_list_get_revision (list) == revision);
    g_assert_cmpuint (n_items (list), ==, N + 1);
    g_assert_cmpuint (listd_list_get_position (list, third), ==, 269991);
  }
  stage_free (stage);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/lost/dbus-daemon: two Updated between others → the changes are asked for, held objects stay",
                        GINT_TO_POINTER (STAGE_DAEMON), between);
  g_test_add_data_func ("/lost/direct socket: two Updated between others → the changes are asked for, held objects stay",
                        GINT_TO_POINTER (STAGE_DIRECT), between);
  g_test_add_func ("/lost/the last Updated, and a picture comes → the model has its revision", last_before_picture);
  g_test_add_func ("/lost/the Updated of a write → the model has it in the callback", last_before_answer);
  g_test_add_func ("/lost/a picture → the whole one is asked for", lost_picture);
  g_test_add_func ("/lost/a picture that moved the viewport → the program hears how far", lost_shift);
  g_test_add_func ("/lost/a view that ended before it was heard of → it is opened again", ended_before_opened);
  g_test_add_func ("/lost/a list is made again in a handler of its end → other objects hear of both in order", heard_in_order);
  g_test_add_func ("/lost/a list that was made again while listd was away → the rows of the old one get nothing of it", other_epoch);
  g_test_add_func ("/lost/an Updated of a list with another number of sections → it is read anew, held objects stay", other_list);
  g_test_add_func ("/lost/Stalled, as a picture is larger than the credit that is left → it comes", stalls);
  g_test_add_func ("/lost/more pictures than credit in one turn of the main loop → the newest content", sleeps);
  /* A quarter of a million objects take their time. */
  if (g_test_slow ())
    g_test_add_func ("/lost/more sections than an answer tells of, with several items → exact positions", counts_in_pages);
  return g_test_run ();
}
