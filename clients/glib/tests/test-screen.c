// SPDX-License-Identifier: Apache-2.0
/* What pictures say besides their slots: why a slot is there, whether it may be animated, where headers travel. */
#include "listd-pictures.h"
#include "listd-screen.h"

#define CELL(number, id, y) "(" #number ", '" id "', 0, 0, 'cell', 'row', (0.0, " #y ", 300.0, 44.0), 1, @a{sv} {})"
#define HEADER(number, y) "(" #number ", 'head', 0, 0, 'header', 'head', (0.0, " #y ", 300.0, 30.0), 2, @a{sv} {})"

typedef struct
{
  GObject *view; /* of which nobody asks anything */
  ListdScreen *screen;
  GString *told; /* an event, a slot and its cause for each */
} Seen;

static void
on_slot (gpointer view, ListdSlotEvent event, ListdSlot *slot)
{
  static const char *const events[] = { "shown", "released", "placed", "bound" };
  Seen *seen = g_object_get_data (view, "seen");

  g_string_append_printf (seen->told, "%s %u %s %d\n", events[event], listd_slot_get_number (slot), listd_item_get_id (listd_slot_get_item (slot)),
                          listd_slot_get_cause (slot));
}

static void
seen_init (Seen *seen)
{
  *seen = (Seen){ g_object_new (G_TYPE_OBJECT, NULL), NULL, g_string_new (NULL) };
  g_object_set_data (seen->view, "seen", seen);
  seen->screen = listd_screen_new (seen->view, on_slot);
}

static void
seen_clear (Seen *seen)
{
  listd_screen_free (seen->screen);
  g_object_unref (seen->view);
  g_string_free (seen->told, TRUE);
}

static ListdPictureHead
take (Seen *seen, const char *released, const char *shown, const char *placed, const char *details)
{
  g_autofree char *text = g_strdup_printf ("(uint64 1, uint64 1, (300.0, 1000.0), (0.0, 0.0), %s, %s, %s, @a(ua{sv}) [], %s)", released, shown, placed,
                                           details);
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) picture = g_variant_parse (G_VARIANT_TYPE (LISTD_PICTURE), text, NULL, NULL, &error);

  g_assert_no_error (error);
  g_string_truncate (seen->told, 0);
  return listd_screen_take (seen->screen, picture);
}

static ListdPictureHead
take_whole (Seen *seen, const char *shown, const char *details)
{
  g_autofree char *text = g_strdup_printf ("(uint64 2, uint64 1, (300.0, 1000.0), (0.0, 0.0), %s, %s)", shown, details);
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) picture = g_variant_parse (G_VARIANT_TYPE (LISTD_WHOLE_PICTURE), text, NULL, NULL, &error);

  g_assert_no_error (error);
  g_string_truncate (seen->told, 0);
  return listd_screen_take (seen->screen, picture);
}

#define NO_SLOTS "@au []"
#define NO_CELLS "@a(usuuss(dddd)xa{sv}) []"
#define NO_FRAMES "@a(uuu(dddd)x) []"

static void
causes (void)
{
  Seen seen;
  ListdPictureHead head;

  seen_init (&seen);
  head = take (&seen, NO_SLOTS, "[" CELL (1, "a", 0.0) ", " CELL (2, "b", 44.0) ", " CELL (3, "c", 88.0) "]", NO_FRAMES, "@a{sv} {}");
  g_assert_cmpstr (seen.told->str, ==, "shown 1 a 0\nshown 2 b 0\nshown 3 c 0\n");
  g_assert_false (head.animated);
  g_assert_cmpfloat (head.shift_y, ==, 0);

  /* Slot 1 is released and used again: the first of its causes is that of what went. Slot 3 scrolled. */
  head = take (&seen, "[1]", "[" CELL (1, "x", 0.0) "]", "[(2, 1, 0, (0.0, 66.0, 300.0, 44.0), int64 1), (3, 2, 0, (0.0, 110.0, 300.0, 44.0), int64 1)]",
               "{'causes': <[(uint32 1, byte 2), (uint32 1, byte 1), (uint32 2, byte 3)]>, 'animated': <true>, 'shift': <(1.0, -22.0)>}");
  g_assert_cmpstr (seen.told->str, ==, "released 1 a 2\nshown 1 x 1\nplaced 2 b 3\nplaced 3 c 0\n");
  g_assert_true (head.animated);
  g_assert_cmpfloat (head.shift_x, ==, 1);
  g_assert_cmpfloat (head.shift_y, ==, -22);

  /* The next picture says nothing, or what nobody knows yet. */
  head = take (&seen, NO_SLOTS, NO_CELLS, "[(2, 1, 0, (0.0, 44.0, 300.0, 44.0), int64 1), (3, 2, 0, (0.0, 88.0, 300.0, 44.0), int64 1)]",
               "{'causes': <[(uint32 3, byte 77)]>, 'other': <1>}");
  g_assert_cmpstr (seen.told->str, ==, "placed 2 b 0\nplaced 3 c 0\n");
  g_assert_false (head.animated);
  g_assert_cmpfloat (head.shift_y, ==, 0);

  head = take_whole (&seen, "[" CELL (1, "x", 0.0) ", " CELL (2, "b", 50.0) "]", "{'shift': <(0.0, 6.0)>}");
  g_assert_cmpstr (seen.told->str, ==, "placed 2 b 0\nreleased 3 c 0\n");
  g_assert_cmpfloat (head.shift_y, ==, 6);
  seen_clear (&seen);
}

static ListdSlot *
slot_at (Seen *seen, guint position)
{
  g_autoptr (ListdSlot) slot = g_list_model_get_item (listd_screen_get_slots (seen->screen), position);
  return slot;
}

static void
travels (void)
{
  Seen seen;
  ListdPictureHead head;
  double first, last;

  seen_init (&seen);
  head = take (&seen, NO_SLOTS, "[" HEADER (1, 0.0) ", " CELL (2, "a", 30.0) "]", NO_FRAMES,
               "{'sticky': <[(uint32 1, 0.0, 400.0)]>, 'sticky-edge': <10.0>}");
  g_assert_true (listd_slot_get_travel (slot_at (&seen, 0), &first, &last));
  g_assert_cmpfloat (first, ==, 0);
  g_assert_cmpfloat (last, ==, 400);
  g_assert_cmpfloat (head.sticky_edge, ==, 10);
  g_assert_false (listd_slot_get_travel (slot_at (&seen, 1), NULL, NULL));
  /* Only its travel is another. */
  head = take (&seen, NO_SLOTS, NO_CELLS, NO_FRAMES, "{'sticky': <[(uint32 1, 0.0, 444.0)]>, 'sticky-edge': <10.0>}");
  g_assert_cmpstr (seen.told->str, ==, "placed 1 head 0\n");
  listd_slot_get_travel (slot_at (&seen, 0), &first, &last);
  g_assert_cmpfloat (last, ==, 444);
  /* What is not about headers leaves them as they are. */
  head = take (&seen, NO_SLOTS, NO_CELLS, "[(2, 0, 0, (0.0, 31.0, 300.0, 44.0), int64 1)]", "@a{sv} {}");
  g_assert_true (listd_slot_get_travel (slot_at (&seen, 0), NULL, NULL));
  g_assert_cmpfloat (head.sticky_edge, ==, 10);
  /* It is placed, and travels no more. */
  take (&seen, NO_SLOTS, NO_CELLS, "[(1, 0, 0, (0.0, 5.0, 300.0, 30.0), int64 2)]", "@a{sv} {}");
  g_assert_false (listd_slot_get_travel (slot_at (&seen, 0), NULL, NULL));
  head = take_whole (&seen, "[" HEADER (1, 0.0) ", " CELL (2, "a", 31.0) "]", "{'sticky': <[(uint32 1, 0.0, 400.0)]>}");
  g_assert_true (listd_slot_get_travel (slot_at (&seen, 0), NULL, NULL));
  g_assert_cmpfloat (head.sticky_edge, ==, 0);
  seen_clear (&seen);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/screen/causes, shift and animated → told with the slots of their picture", causes);
  g_test_add_func ("/screen/sticky headers → where they travel, until they do not", travels);
  return g_test_run ();
}
