// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(LISTD_GTK_INSIDE) && !defined(LISTD_GTK_COMPILATION)
#error "Only <listd-gtk4.h> can be included directly."
#endif

#include "listd-cell.h"
#include "listd-widget-pool.h"

G_BEGIN_DECLS

/**
 * ListdTabBehavior:
 * @LISTD_TAB_BEHAVIOR_ALL: through all items of the list, then on to what comes after it
 * @LISTD_TAB_BEHAVIOR_ITEM: through the item that has the focus, then on to what comes after the list; the arrows go to other items
 *
 * Where Tab moves the focus. The names are those of `GtkListTabBehavior`, which is there since GTK 4.12.
 */
typedef enum
{
  LISTD_TAB_BEHAVIOR_ALL,
  LISTD_TAB_BEHAVIOR_ITEM,
} ListdTabBehavior;

LISTD_API GType listd_tab_behavior_get_type (void) G_GNUC_CONST;
#define LISTD_TYPE_TAB_BEHAVIOR (listd_tab_behavior_get_type ())

#define LISTD_TYPE_FLOW_VIEW (listd_flow_view_get_type ())
LISTD_API
G_DECLARE_FINAL_TYPE (ListdFlowView, listd_flow_view, LISTD, FLOW_VIEW, GtkWidget)

LISTD_API GtkWidget *listd_flow_view_new (ListdClient *client, const char *name);

LISTD_API ListdClient *listd_flow_view_get_client (ListdFlowView *self);
LISTD_API void listd_flow_view_set_client (ListdFlowView *self, ListdClient *value);
LISTD_API const char *listd_flow_view_get_model_name (ListdFlowView *self);
LISTD_API void listd_flow_view_set_model_name (ListdFlowView *self, const char *value);
LISTD_API GVariant *listd_flow_view_get_options (ListdFlowView *self);
LISTD_API void listd_flow_view_set_options (ListdFlowView *self, GVariant *value);
LISTD_API ListdView *listd_flow_view_get_view (ListdFlowView *self);
LISTD_API ListdList *listd_flow_view_get_list (ListdFlowView *self);
LISTD_API double listd_flow_view_get_buffer (ListdFlowView *self);
LISTD_API void listd_flow_view_set_buffer (ListdFlowView *self, double value);
LISTD_API gboolean listd_flow_view_get_measure (ListdFlowView *self);
LISTD_API void listd_flow_view_set_measure (ListdFlowView *self, gboolean value);
LISTD_API gboolean listd_flow_view_get_stick_to_start (ListdFlowView *self);
LISTD_API void listd_flow_view_set_stick_to_start (ListdFlowView *self, gboolean value);
LISTD_API GtkSelectionMode listd_flow_view_get_selection_mode (ListdFlowView *self);
LISTD_API void listd_flow_view_set_selection_mode (ListdFlowView *self, GtkSelectionMode value);
LISTD_API gboolean listd_flow_view_get_activate_on_click (ListdFlowView *self);
LISTD_API void listd_flow_view_set_activate_on_click (ListdFlowView *self, gboolean value);
LISTD_API gboolean listd_flow_view_get_enable_rubberband (ListdFlowView *self);
LISTD_API void listd_flow_view_set_enable_rubberband (ListdFlowView *self, gboolean value);
LISTD_API gboolean listd_flow_view_get_reorderable (ListdFlowView *self);
LISTD_API void listd_flow_view_set_reorderable (ListdFlowView *self, gboolean value);
LISTD_API ListdTabBehavior listd_flow_view_get_tab_behavior (ListdFlowView *self);
LISTD_API void listd_flow_view_set_tab_behavior (ListdFlowView *self, ListdTabBehavior value);
LISTD_API const char *listd_flow_view_get_search_field (ListdFlowView *self);
LISTD_API void listd_flow_view_set_search_field (ListdFlowView *self, const char *value);
LISTD_API GMenuModel *listd_flow_view_get_context_menu (ListdFlowView *self);
LISTD_API void listd_flow_view_set_context_menu (ListdFlowView *self, GMenuModel *value);
LISTD_API ListdWidgetPool *listd_flow_view_get_pool (ListdFlowView *self);
LISTD_API void listd_flow_view_set_pool (ListdFlowView *self, ListdWidgetPool *value);

LISTD_API void listd_flow_view_add_template (ListdFlowView *self, const char *reuse_identifier, GtkBuilderScope *scope, GBytes *ui);
LISTD_API void listd_flow_view_scroll_to (ListdFlowView *self, const char *id, guint item, ListdScrollPosition position, gboolean focus);
LISTD_API ListdCell *listd_flow_view_get_cell (ListdFlowView *self, const char *id, guint item);
LISTD_API ListdCell *listd_flow_view_get_cell_at (ListdFlowView *self, double x, double y);
LISTD_API guint listd_flow_view_get_n_cells (ListdFlowView *self);

G_END_DECLS
