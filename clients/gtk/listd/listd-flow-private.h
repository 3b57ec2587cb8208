// SPDX-License-Identifier: Apache-2.0
/* What the files of the flow view know of each other. The fields that a file changes stand under its name. */
#pragma once

#include "listd-cell-private.h"
#include "listd-flow-view.h"
#include "listd-selection.h"

G_BEGIN_DECLS

typedef struct
{
  GtkAdjustment *adjustment;
  GtkScrollablePolicy policy;
  gboolean flipped; /* counts from the right edge */
  double base;      /* the value of the adjustment at which the content begins */
  double page, content, position;
} ListdAxis;

struct _ListdFlowView
{
  GtkWidget parent_instance;

  /* listd-flow-view.c */
  ListdClient *client;
  char *name;
  GVariant *options;
  double buffer;
  gboolean measure, stick_to_start, activate_on_click, enable_rubberband, reorderable;
  GtkSelectionMode selection_mode;
  ListdTabBehavior tab_behavior;
  char *search_field;
  GMenuModel *context_menu;
  ListdWidgetPool *pool;
  ListdView *view;
  ListdList *list;

  /* listd-flow-cells.c */
  GHashTable *cells;   /* ListdSlot -> ListdCell, unowned: they are children */
  GPtrArray *loose;    /* cells whose slot was released since the last picture */
  GPtrArray *arrivals; /* slots that were shown since */
  GPtrArray *spare;    /* cells that show nothing */
  ListdCell *parked;   /* out of sight, but it has the focus */
  GHashTable *templates;
  GdkFrameClock *clock;
  gulong painted;
  ListdCell *held; /* somebody drags it */
  guint n_cells;
  guint64 revision; /* of the last picture */

  /* listd-flow-moves.c */
  GPtrArray *leaving; /* cells whose item is gone, and that are seen to go */
  guint moving;       /* tick callback of the cells that move */

  /* listd-flow-scroll.c */
  ListdAxis axes[2]; /* by GtkOrientation */
  gboolean configuring;
  double told[4]; /* the viewport that listd was told last, in the content of the last picture */
  gboolean filled, reopened;
  char *wanted; /* where to scroll to as soon as that can be done */
  guint wanted_item;
  ListdScrollPosition wanted_position;
  gboolean wanted_focus;
  char *awaited; /* what gets the focus as soon as it is shown */
  guint awaited_item;
  ListdView *probe; /* of a map: shows where `sought` is */
  char *sought;
  guint sought_item;

  /* listd-flow-select.c */
  ListdSelection *selection;
  char *pivot; /* where a range of selected items begins */
  guint pivot_item;

  /* listd-flow-keys.c */
  char *cursor; /* the item that had the focus last */
  guint cursor_item;
  gboolean landing; /* the focus goes to what will be at `landing_at`, relative to the viewport */
  double landing_at[2];
  gboolean landing_modifies, landing_extends;
  ListdItem *loading;     /* gets the focus when it is loaded */
  int tabbing;            /* where Tab goes from the item that had the focus, as soon as the list knows where that is */
  gboolean leaving_focus; /* the focus goes out of the view */
  gboolean uneven; /* sections with other numbers of items than one have been seen */
  GString *typed;
  guint typing;
  gboolean searching;

  /* listd-flow-pointer.c */
  struct _ListdPointer *pointer;
};

/* listd-flow-properties.c */
void listd_flow_properties_install (GObjectClass *object_class);

/* listd-flow-view.c */
/* What a call that is under way keeps of the view, which may go meanwhile; the second gives it back, transfer full, or NULL. */
GWeakRef *listd_flow_lend (ListdFlowView *self);
ListdFlowView *listd_flow_return (GWeakRef *lent);
/* Opens the view anew, because something that it is opened with is another. */
void listd_flow_open (ListdFlowView *self, gboolean another_list);
GtkWidget *listd_flow_emit_setup (ListdFlowView *self, ListdCell *cell);
void listd_flow_emit_bind (ListdFlowView *self, ListdCell *cell);
void listd_flow_emit_unbind (ListdFlowView *self, ListdCell *cell);
void listd_flow_emit_activate (ListdFlowView *self, ListdCell *cell);
void listd_flow_emit_popup (ListdFlowView *self, ListdCell *cell);
void listd_flow_emit_move_refused (ListdFlowView *self, ListdSlot *slot, const GError *error);

/* listd-flow-cells.c */
void listd_flow_cells_init (ListdFlowView *self);
void listd_flow_cells_dispose (ListdFlowView *self);
void listd_flow_cells_finalize (ListdFlowView *self);
void listd_flow_cells_follow (ListdFlowView *self, ListdView *view);
void listd_flow_cells_unfollow (ListdFlowView *self, ListdView *view);
void listd_flow_cells_allocate (ListdFlowView *self, int width, int height);
void listd_flow_cells_detach_clock (ListdFlowView *self);
/* A cell shows nothing any more, and waits to be used again. */
void listd_flow_cells_free (ListdFlowView *self, ListdCell *cell);
/* Which of how many items each cell is. */
void listd_flow_cells_tell_places (ListdFlowView *self);
/* Where a cell lies in the content when it does not move: a header may stay at the edge. */
ListdRect listd_flow_cells_rest (ListdFlowView *self, const ListdCell *cell);
/* Drops the cells that show nothing, because they would be made in another way now. */
void listd_flow_cells_forget_spare (ListdFlowView *self);
/* The cell that is nearest to a place in the content. */
ListdCell *listd_flow_cells_get_nearest (ListdFlowView *self, double x, double y);
/* The cell of the item that comes after another one in the list, or before it with -1; of NULL, the first or the last one. */
ListdCell *listd_flow_cells_get_next (ListdFlowView *self, const ListdCell *from, int step);
/* Lifts a cell above the others, and moves it from its place, until it is dropped. */
void listd_flow_cells_hold (ListdFlowView *self, ListdCell *cell, double x, double y);
void listd_flow_cells_drop (ListdFlowView *self, ListdCell *cell);

/* listd-flow-moves.c */
gboolean listd_flow_moves_enabled (ListdFlowView *self);
/* The moment that the frame which comes next is of. */
gint64 listd_flow_moves_now (ListdFlowView *self);
/* How much of its way a cell has before it, 1 to 0; and how opaque it is. */
double listd_flow_moves_way (const ListdCell *cell, gint64 now);
double listd_flow_moves_opacity (const ListdCell *cell, gint64 now);
/* A picture comes, and may scroll: where the cells lie in the viewport is kept in mind. */
void listd_flow_moves_remember (ListdFlowView *self);
/* Whether a cell was on the screen before that. */
gboolean listd_flow_moves_was_seen (const ListdFlowView *self, const ListdCell *cell);
/* The loose cells whose items an update took off the screen are seen to go. */
void listd_flow_moves_part (ListdFlowView *self);
/* So is one more, after the picture is taken. FALSE when nobody saw it. */
gboolean listd_flow_moves_leave (ListdFlowView *self, ListdCell *cell);
/* A cell was leaving, and shows something that is there again. */
void listd_flow_moves_return (ListdFlowView *self, ListdCell *cell);
/* Takes the frames of the picture. What an update moved on the screen goes there, what it brought appears. */
void listd_flow_moves_place (ListdFlowView *self, gboolean animated);
/* A cell goes to its place from where it was put. */
void listd_flow_moves_begin (ListdFlowView *self, ListdCell *cell);
void listd_flow_moves_end (ListdCell *cell);

/* listd-flow-scroll.c */
/* Whether a frame of the content meets the viewport. */
gboolean listd_flow_meets (const ListdFlowView *self, const ListdRect *frame);
void listd_flow_scroll_init (ListdFlowView *self);
void listd_flow_scroll_finalize (ListdFlowView *self);
void listd_flow_scroll_reset (ListdFlowView *self);
void listd_flow_scroll_dispose (ListdFlowView *self);
/* The next picture is the first one of a view that listd opened anew. */
void listd_flow_scroll_reopen (ListdFlowView *self);
void listd_flow_set_adjustment (ListdFlowView *self, GtkOrientation orientation, GtkAdjustment *adjustment);
void listd_flow_set_page (ListdFlowView *self, double width, double height);
/* A picture is there. What the eye rests on was at `before` in the content, and is at `after` now; NULL when nothing of what was shown is
 * left. */
void listd_flow_take_picture (ListdFlowView *self, const ListdRect *before, const ListdRect *after);
void listd_flow_tell_viewport (ListdFlowView *self);
void listd_flow_scroll_update (ListdFlowView *self);
gboolean listd_flow_is_horizontal (ListdFlowView *self);
void listd_flow_scroll_by (ListdFlowView *self, double x, double y);
void listd_flow_reveal (ListdFlowView *self, const ListdRect *frame);
/* A frame of the content, relative to the viewport and mirrored if the text runs that way. */
ListdRect listd_flow_to_widget (ListdFlowView *self, const ListdRect *frame);
void listd_flow_to_content (ListdFlowView *self, double *x, double *y);

/* listd-flow-select.c */
void listd_flow_select_follow (ListdFlowView *self);
void listd_flow_select_finalize (ListdFlowView *self);
void listd_flow_select_update (ListdFlowView *self, ListdCell *cell);
/* What a click or a key means for the selection: `extend` with Shift, `modify` with Ctrl. */
void listd_flow_select_cell (ListdFlowView *self, ListdCell *cell, gboolean modify, gboolean extend);
void listd_flow_select_all (ListdFlowView *self, gboolean select);
/* What a rectangle means that has met these ListdRef: it selects them alone, with Ctrl too, with Shift no more, with both the others. */
void listd_flow_select_many (ListdFlowView *self, GArray *refs, gboolean modify, gboolean extend);

/* listd-flow-keys.c */
void listd_flow_keys_class_init (GtkWidgetClass *klass);
void listd_flow_keys_init (ListdFlowView *self);
void listd_flow_keys_finalize (ListdFlowView *self);
gboolean listd_flow_keys_focus (ListdFlowView *self, GtkDirectionType direction);
gboolean listd_flow_keys_grab_focus (ListdFlowView *self);
void listd_flow_keys_set_cursor (ListdFlowView *self, ListdCell *cell);
/* Something new is shown: what waits for the focus gets it. */
void listd_flow_keys_update (ListdFlowView *self);
ListdCell *listd_flow_keys_get_focused (ListdFlowView *self);

/* listd-flow-pointer.c */
void listd_flow_pointer_init (ListdFlowView *self);
void listd_flow_pointer_dispose (ListdFlowView *self);
void listd_flow_pointer_allocate (ListdFlowView *self);
void listd_flow_pointer_snapshot (ListdFlowView *self, GtkSnapshot *snapshot);
void listd_flow_pointer_update (ListdFlowView *self);
void listd_flow_pointer_popup (ListdFlowView *self, ListdCell *cell, double x, double y);

G_END_DECLS
