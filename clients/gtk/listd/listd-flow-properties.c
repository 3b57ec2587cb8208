// SPDX-License-Identifier: Apache-2.0
/* What an application may set of a flow view. */
#include "listd-flow-private.h"

#include <math.h>

enum
{
  PROP_0,
  PROP_CLIENT,
  PROP_MODEL_NAME,
  PROP_OPTIONS,
  PROP_VIEW,
  PROP_LIST,
  PROP_BUFFER,
  PROP_MEASURE,
  PROP_STICK_TO_START,
  PROP_SELECTION_MODE,
  PROP_ACTIVATE_ON_CLICK,
  PROP_ENABLE_RUBBERBAND,
  PROP_REORDERABLE,
  PROP_TAB_BEHAVIOR,
  PROP_SEARCH_FIELD,
  PROP_CONTEXT_MENU,
  PROP_POOL,
  N_PROPS,
  PROP_HADJUSTMENT = N_PROPS,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY,
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_ENUM_TYPE (ListdTabBehavior, listd_tab_behavior, G_DEFINE_ENUM_VALUE (LISTD_TAB_BEHAVIOR_ALL, "all"),
                    G_DEFINE_ENUM_VALUE (LISTD_TAB_BEHAVIOR_ITEM, "item"))

static void
listd_flow_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (object);

  switch (id)
    {
    case PROP_CLIENT:
      g_value_set_object (value, self->client);
      break;
    case PROP_MODEL_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_OPTIONS:
      g_value_set_variant (value, self->options);
      break;
    case PROP_VIEW:
      g_value_set_object (value, self->view);
      break;
    case PROP_LIST:
      g_value_set_object (value, self->list);
      break;
    case PROP_BUFFER:
      g_value_set_double (value, self->buffer);
      break;
    case PROP_MEASURE:
      g_value_set_boolean (value, self->measure);
      break;
    case PROP_STICK_TO_START:
      g_value_set_boolean (value, self->stick_to_start);
      break;
    case PROP_SELECTION_MODE:
      g_value_set_enum (value, self->selection_mode);
      break;
    case PROP_ACTIVATE_ON_CLICK:
      g_value_set_boolean (value, self->activate_on_click);
      break;
    case PROP_ENABLE_RUBBERBAND:
      g_value_set_boolean (value, self->enable_rubberband);
      break;
    case PROP_REORDERABLE:
      g_value_set_boolean (value, self->reorderable);
      break;
    case PROP_TAB_BEHAVIOR:
      g_value_set_enum (value, self->tab_behavior);
      break;
    case PROP_SEARCH_FIELD:
      g_value_set_string (value, self->search_field);
      break;
    case PROP_CONTEXT_MENU:
      g_value_set_object (value, self->context_menu);
      break;
    case PROP_POOL:
      g_value_set_object (value, self->pool);
      break;
    case PROP_HADJUSTMENT:
      g_value_set_object (value, self->axes[GTK_ORIENTATION_HORIZONTAL].adjustment);
      break;
    case PROP_VADJUSTMENT:
      g_value_set_object (value, self->axes[GTK_ORIENTATION_VERTICAL].adjustment);
      break;
    case PROP_HSCROLL_POLICY:
      g_value_set_enum (value, self->axes[GTK_ORIENTATION_HORIZONTAL].policy);
      break;
    case PROP_VSCROLL_POLICY:
      g_value_set_enum (value, self->axes[GTK_ORIENTATION_VERTICAL].policy);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
listd_flow_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ListdFlowView *self = LISTD_FLOW_VIEW (object);

  switch (id)
    {
    case PROP_CLIENT:
      listd_flow_view_set_client (self, g_value_get_object (value));
      break;
    case PROP_MODEL_NAME:
      listd_flow_view_set_model_name (self, g_value_get_string (value));
      break;
    case PROP_OPTIONS:
      listd_flow_view_set_options (self, g_value_get_variant (value));
      break;
    case PROP_BUFFER:
      listd_flow_view_set_buffer (self, g_value_get_double (value));
      break;
    case PROP_MEASURE:
      listd_flow_view_set_measure (self, g_value_get_boolean (value));
      break;
    case PROP_STICK_TO_START:
      listd_flow_view_set_stick_to_start (self, g_value_get_boolean (value));
      break;
    case PROP_SELECTION_MODE:
      listd_flow_view_set_selection_mode (self, g_value_get_enum (value));
      break;
    case PROP_ACTIVATE_ON_CLICK:
      listd_flow_view_set_activate_on_click (self, g_value_get_boolean (value));
      break;
    case PROP_ENABLE_RUBBERBAND:
      listd_flow_view_set_enable_rubberband (self, g_value_get_boolean (value));
      break;
    case PROP_REORDERABLE:
      listd_flow_view_set_reorderable (self, g_value_get_boolean (value));
      break;
    case PROP_TAB_BEHAVIOR:
      listd_flow_view_set_tab_behavior (self, g_value_get_enum (value));
      break;
    case PROP_SEARCH_FIELD:
      listd_flow_view_set_search_field (self, g_value_get_string (value));
      break;
    case PROP_CONTEXT_MENU:
      listd_flow_view_set_context_menu (self, g_value_get_object (value));
      break;
    case PROP_POOL:
      listd_flow_view_set_pool (self, g_value_get_object (value));
      break;
    case PROP_HADJUSTMENT:
      listd_flow_set_adjustment (self, GTK_ORIENTATION_HORIZONTAL, g_value_get_object (value));
      break;
    case PROP_VADJUSTMENT:
      listd_flow_set_adjustment (self, GTK_ORIENTATION_VERTICAL, g_value_get_object (value));
      break;
    case PROP_HSCROLL_POLICY:
      self->axes[GTK_ORIENTATION_HORIZONTAL].policy = g_value_get_enum (value);
      break;
    case PROP_VSCROLL_POLICY:
      self->axes[GTK_ORIENTATION_VERTICAL].policy = g_value_get_enum (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

void
listd_flow_properties_install (GObjectClass *object_class)
{
  const GParamFlags set = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = listd_flow_view_get_property;
  object_class->set_property = listd_flow_view_set_property;
  /**
   * ListdFlowView:client: (getter get_client) (setter set_client)
   *
   * The client through which listd is asked.
   */
  properties[PROP_CLIENT] = g_param_spec_object ("client", NULL, NULL, LISTD_TYPE_CLIENT, set);
  /**
   * ListdFlowView:model-name: (getter get_model_name) (setter set_model_name)
   *
   * The name of the list.
   */
  properties[PROP_MODEL_NAME] = g_param_spec_string ("model-name", NULL, NULL, NULL, set);
  /**
   * ListdFlowView:options: (getter get_options) (setter set_options)
   *
   * More options of the view, a dictionary `a{sv}` as of [ctor@Listd.View.new]: `layout`, `fields`, `at` and others.
   */
  properties[PROP_OPTIONS] = g_param_spec_variant ("options", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, set);
  /**
   * ListdFlowView:view: (getter get_view)
   *
   * The view that the cells follow.
   */
  properties[PROP_VIEW] = g_param_spec_object ("view", NULL, NULL, LISTD_TYPE_VIEW, read);
  /**
   * ListdFlowView:list: (getter get_list)
   *
   * The list without its layout: its state, its length, its selection.
   */
  properties[PROP_LIST] = g_param_spec_object ("list", NULL, NULL, LISTD_TYPE_LIST, read);
  /**
   * ListdFlowView:buffer: (getter get_buffer) (setter set_buffer)
   *
   * How far beyond the screen cells are kept, in pixels; nobody sees them, so they do not count as displayed. What moves faster than this
   * in two frames leaves holes.
   */
  properties[PROP_BUFFER] = g_param_spec_double ("buffer", NULL, NULL, 0, 1000000000, 240, set);
  /**
   * ListdFlowView:measure: (getter get_measure) (setter set_measure)
   *
   * Whether the cells say how high they want to be (how wide, in a list that scrolls sideways), instead of the list.
   */
  properties[PROP_MEASURE] = g_param_spec_boolean ("measure", NULL, NULL, FALSE, set);
  /**
   * ListdFlowView:stick-to-start: (getter get_stick_to_start) (setter set_stick_to_start)
   *
   * Whether new items at the start push the others away when the view shows the start, instead of waiting above it.
   */
  properties[PROP_STICK_TO_START] = g_param_spec_boolean ("stick-to-start", NULL, NULL, TRUE, set);
  /**
   * ListdFlowView:selection-mode: (getter get_selection_mode) (setter set_selection_mode)
   *
   * How many items can be selected. The selection is the list's, and all its viewers share it.
   */
  properties[PROP_SELECTION_MODE] = g_param_spec_enum ("selection-mode", NULL, NULL, GTK_TYPE_SELECTION_MODE, GTK_SELECTION_MULTIPLE, set);
  /**
   * ListdFlowView:activate-on-click: (getter get_activate_on_click) (setter set_activate_on_click)
   *
   * Whether one click activates an item and the pointer selects it, instead of a double click.
   */
  properties[PROP_ACTIVATE_ON_CLICK] = g_param_spec_boolean ("activate-on-click", NULL, NULL, FALSE, set);
  /**
   * ListdFlowView:enable-rubberband: (getter get_enable_rubberband) (setter set_enable_rubberband)
   *
   * Whether items can be selected by a rectangle that is drawn around them.
   */
  properties[PROP_ENABLE_RUBBERBAND] = g_param_spec_boolean ("enable-rubberband", NULL, NULL, FALSE, set);
  /**
   * ListdFlowView:reorderable: (getter get_reorderable) (setter set_reorderable)
   *
   * Whether items can be dragged to another place. The section controller may refuse that.
   */
  properties[PROP_REORDERABLE] = g_param_spec_boolean ("reorderable", NULL, NULL, FALSE, set);
  /**
   * ListdFlowView:tab-behavior: (getter get_tab_behavior) (setter set_tab_behavior)
   *
   * Where Tab moves the focus. It enters the list where the focus was; or at its first item, and Shift+Tab at its last one, if it goes through
   * all items and GTK is 4.12 or later, whose own lists do so.
   */
  properties[PROP_TAB_BEHAVIOR] = g_param_spec_enum ("tab-behavior", NULL, NULL, LISTD_TYPE_TAB_BEHAVIOR, LISTD_TAB_BEHAVIOR_ALL, set);
  /**
   * ListdFlowView:search-field: (getter get_search_field) (setter set_search_field)
   *
   * The field in which typed letters are looked for; %NULL stands for all.
   */
  properties[PROP_SEARCH_FIELD] = g_param_spec_string ("search-field", NULL, NULL, NULL, set);
  /**
   * ListdFlowView:context-menu: (getter get_context_menu) (setter set_context_menu)
   *
   * The menu of an item. The actions `list.…` of the view are there for it.
   */
  properties[PROP_CONTEXT_MENU] = g_param_spec_object ("context-menu", NULL, NULL, G_TYPE_MENU_MODEL, set);
  /**
   * ListdFlowView:pool: (getter get_pool) (setter set_pool)
   *
   * Where cells that are not needed go, and come from.
   */
  properties[PROP_POOL] = g_param_spec_object ("pool", NULL, NULL, LISTD_TYPE_WIDGET_POOL, set);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
}

/**
 * listd_flow_view_get_client: (get-property client)
 * @self: a flow view
 *
 * The client through which listd is asked.
 *
 * Returns: (transfer none) (nullable): the value
 */
ListdClient *
listd_flow_view_get_client (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), NULL);
  return self->client;
}

/**
 * listd_flow_view_set_client: (set-property client)
 * @self: a flow view
 * @value: (nullable): the value
 *
 * Sets [property@ListdFlowView:client].
 */
void
listd_flow_view_set_client (ListdFlowView *self, ListdClient *value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  g_return_if_fail (value == NULL || LISTD_IS_CLIENT (value));
  if (!g_set_object (&self->client, value))
    return;
  listd_flow_open (self, TRUE);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CLIENT]);
}

/**
 * listd_flow_view_get_model_name: (get-property model-name)
 * @self: a flow view
 *
 * The name of the list.
 *
 * Returns: (nullable): the value
 */
const char *
listd_flow_view_get_model_name (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), NULL);
  return self->name;
}

/**
 * listd_flow_view_set_model_name: (set-property model-name)
 * @self: a flow view
 * @value: (nullable): the value
 *
 * Sets [property@ListdFlowView:model-name].
 */
void
listd_flow_view_set_model_name (ListdFlowView *self, const char *value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  if (g_strcmp0 (self->name, value) == 0)
    return;
  g_free (self->name);
  self->name = g_strdup (value);
  listd_flow_open (self, TRUE);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODEL_NAME]);
}

/**
 * listd_flow_view_get_options: (get-property options)
 * @self: a flow view
 *
 * More options of the view, a dictionary `a{sv}` as of [ctor@Listd.View.new]: `layout`, `fields`, `at` and others.
 *
 * Returns: (transfer none) (nullable): the value
 */
GVariant *
listd_flow_view_get_options (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), NULL);
  return self->options;
}

/**
 * listd_flow_view_set_options: (set-property options)
 * @self: a flow view
 * @value: (nullable): the value; a floating reference is taken
 *
 * Sets [property@ListdFlowView:options].
 */
void
listd_flow_view_set_options (ListdFlowView *self, GVariant *value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  g_return_if_fail (value == NULL || g_variant_is_of_type (value, G_VARIANT_TYPE_VARDICT));
  if (self->options == value)
    return;
  g_clear_pointer (&self->options, g_variant_unref);
  self->options = value != NULL ? g_variant_ref_sink (value) : NULL;
  listd_flow_open (self, FALSE);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OPTIONS]);
}

/**
 * listd_flow_view_get_view: (get-property view)
 * @self: a flow view
 *
 * The view that the cells follow.
 *
 * Returns: (transfer none) (nullable): the value
 */
ListdView *
listd_flow_view_get_view (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), NULL);
  return self->view;
}

/**
 * listd_flow_view_get_list: (get-property list)
 * @self: a flow view
 *
 * The list without its layout: its state, its length, its selection.
 *
 * Returns: (transfer none) (nullable): the value
 */
ListdList *
listd_flow_view_get_list (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), NULL);
  return self->list;
}

/**
 * listd_flow_view_get_buffer: (get-property buffer)
 * @self: a flow view
 *
 * How far beyond the screen cells are kept, in pixels.
 *
 * Returns: the value
 */
double
listd_flow_view_get_buffer (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), 0);
  return self->buffer;
}

/**
 * listd_flow_view_set_buffer: (set-property buffer)
 * @self: a flow view
 * @value: the value
 *
 * Sets [property@ListdFlowView:buffer].
 */
void
listd_flow_view_set_buffer (ListdFlowView *self, double value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  g_return_if_fail (isfinite (value) && value >= 0);
  if (self->buffer == value)
    return;
  self->buffer = value;
  listd_flow_open (self, FALSE);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUFFER]);
}

/**
 * listd_flow_view_get_measure: (get-property measure)
 * @self: a flow view
 *
 * Whether the cells say how high they want to be (how wide, in a list that scrolls sideways), instead of the list.
 *
 * Returns: the value
 */
gboolean
listd_flow_view_get_measure (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), FALSE);
  return self->measure;
}

/**
 * listd_flow_view_set_measure: (set-property measure)
 * @self: a flow view
 * @value: the value
 *
 * Sets [property@ListdFlowView:measure].
 */
void
listd_flow_view_set_measure (ListdFlowView *self, gboolean value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  if (self->measure == value)
    return;
  self->measure = value;
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MEASURE]);
}

/**
 * listd_flow_view_get_stick_to_start: (get-property stick-to-start)
 * @self: a flow view
 *
 * Whether new items at the start push the others away when the view shows the start, instead of waiting above it.
 *
 * Returns: the value
 */
gboolean
listd_flow_view_get_stick_to_start (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), FALSE);
  return self->stick_to_start;
}

/**
 * listd_flow_view_set_stick_to_start: (set-property stick-to-start)
 * @self: a flow view
 * @value: the value
 *
 * Sets [property@ListdFlowView:stick-to-start].
 */
void
listd_flow_view_set_stick_to_start (ListdFlowView *self, gboolean value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  if (self->stick_to_start == value)
    return;
  self->stick_to_start = value;
  listd_flow_open (self, FALSE);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STICK_TO_START]);
}

/**
 * listd_flow_view_get_selection_mode: (get-property selection-mode)
 * @self: a flow view
 *
 * How many items can be selected. The selection is the list's, and all its viewers share it.
 *
 * Returns: the value
 */
GtkSelectionMode
listd_flow_view_get_selection_mode (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), GTK_SELECTION_NONE);
  return self->selection_mode;
}

/**
 * listd_flow_view_set_selection_mode: (set-property selection-mode)
 * @self: a flow view
 * @value: the value
 *
 * Sets [property@ListdFlowView:selection-mode].
 */
void
listd_flow_view_set_selection_mode (ListdFlowView *self, GtkSelectionMode value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  if (self->selection_mode == value)
    return;
  self->selection_mode = value;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_MULTI_SELECTABLE, value == GTK_SELECTION_MULTIPLE, -1);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SELECTION_MODE]);
}

/**
 * listd_flow_view_get_activate_on_click: (get-property activate-on-click)
 * @self: a flow view
 *
 * Whether one click activates an item and the pointer selects it, instead of a double click.
 *
 * Returns: the value
 */
gboolean
listd_flow_view_get_activate_on_click (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), FALSE);
  return self->activate_on_click;
}

/**
 * listd_flow_view_set_activate_on_click: (set-property activate-on-click)
 * @self: a flow view
 * @value: the value
 *
 * Sets [property@ListdFlowView:activate-on-click].
 */
void
listd_flow_view_set_activate_on_click (ListdFlowView *self, gboolean value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  if (self->activate_on_click == value)
    return;
  self->activate_on_click = value;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ACTIVATE_ON_CLICK]);
}

/**
 * listd_flow_view_get_enable_rubberband: (get-property enable-rubberband)
 * @self: a flow view
 *
 * Whether items can be selected by a rectangle that is drawn around them.
 *
 * Returns: the value
 */
gboolean
listd_flow_view_get_enable_rubberband (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), FALSE);
  return self->enable_rubberband;
}

/**
 * listd_flow_view_set_enable_rubberband: (set-property enable-rubberband)
 * @self: a flow view
 * @value: the value
 *
 * Sets [property@ListdFlowView:enable-rubberband].
 */
void
listd_flow_view_set_enable_rubberband (ListdFlowView *self, gboolean value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  if (self->enable_rubberband == value)
    return;
  self->enable_rubberband = value;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ENABLE_RUBBERBAND]);
}

/**
 * listd_flow_view_get_reorderable: (get-property reorderable)
 * @self: a flow view
 *
 * Whether items can be dragged to another place. The section controller may refuse that.
 *
 * Returns: the value
 */
gboolean
listd_flow_view_get_reorderable (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), FALSE);
  return self->reorderable;
}

/**
 * listd_flow_view_set_reorderable: (set-property reorderable)
 * @self: a flow view
 * @value: the value
 *
 * Sets [property@ListdFlowView:reorderable].
 */
void
listd_flow_view_set_reorderable (ListdFlowView *self, gboolean value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  if (self->reorderable == value)
    return;
  self->reorderable = value;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_REORDERABLE]);
}

/**
 * listd_flow_view_get_tab_behavior: (get-property tab-behavior)
 * @self: a flow view
 *
 * Where Tab moves the focus.
 *
 * Returns: the value
 */
ListdTabBehavior
listd_flow_view_get_tab_behavior (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), LISTD_TAB_BEHAVIOR_ALL);
  return self->tab_behavior;
}

/**
 * listd_flow_view_set_tab_behavior: (set-property tab-behavior)
 * @self: a flow view
 * @value: the value
 *
 * Sets [property@ListdFlowView:tab-behavior].
 */
void
listd_flow_view_set_tab_behavior (ListdFlowView *self, ListdTabBehavior value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  if (self->tab_behavior == value)
    return;
  self->tab_behavior = value;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TAB_BEHAVIOR]);
}

/**
 * listd_flow_view_get_search_field: (get-property search-field)
 * @self: a flow view
 *
 * The field in which typed letters are looked for; %NULL stands for all.
 *
 * Returns: (nullable): the value
 */
const char *
listd_flow_view_get_search_field (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), NULL);
  return self->search_field;
}

/**
 * listd_flow_view_set_search_field: (set-property search-field)
 * @self: a flow view
 * @value: (nullable): the value
 *
 * Sets [property@ListdFlowView:search-field].
 */
void
listd_flow_view_set_search_field (ListdFlowView *self, const char *value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  if (g_strcmp0 (self->search_field, value) == 0)
    return;
  g_free (self->search_field);
  self->search_field = g_strdup (value);
  if (self->list != NULL)
    listd_list_set_fields (self->list, value != NULL ? (const char *const[]){ value, NULL } : NULL);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SEARCH_FIELD]);
}

/**
 * listd_flow_view_get_context_menu: (get-property context-menu)
 * @self: a flow view
 *
 * The menu of an item. The actions `list.…` of the view are there for it.
 *
 * Returns: (transfer none) (nullable): the value
 */
GMenuModel *
listd_flow_view_get_context_menu (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), NULL);
  return self->context_menu;
}

/**
 * listd_flow_view_set_context_menu: (set-property context-menu)
 * @self: a flow view
 * @value: (nullable): the value
 *
 * Sets [property@ListdFlowView:context-menu].
 */
void
listd_flow_view_set_context_menu (ListdFlowView *self, GMenuModel *value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  g_return_if_fail (value == NULL || G_IS_MENU_MODEL (value));
  if (!g_set_object (&self->context_menu, value))
    return;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONTEXT_MENU]);
}

/**
 * listd_flow_view_get_pool: (get-property pool)
 * @self: a flow view
 *
 * Where cells that are not needed go, and come from.
 *
 * Returns: (transfer none) (nullable): the value
 */
ListdWidgetPool *
listd_flow_view_get_pool (ListdFlowView *self)
{
  g_return_val_if_fail (LISTD_IS_FLOW_VIEW (self), NULL);
  return self->pool;
}

/**
 * listd_flow_view_set_pool: (set-property pool)
 * @self: a flow view
 * @value: (nullable): the value
 *
 * Sets [property@ListdFlowView:pool].
 */
void
listd_flow_view_set_pool (ListdFlowView *self, ListdWidgetPool *value)
{
  g_return_if_fail (LISTD_IS_FLOW_VIEW (self));
  g_return_if_fail (value == NULL || LISTD_IS_WIDGET_POOL (value));
  if (!g_set_object (&self->pool, value))
    return;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_POOL]);
}
