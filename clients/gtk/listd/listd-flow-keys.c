// SPDX-License-Identifier: Apache-2.0
#include "listd-flow-private.h"
void listd_flow_keys_class_init (GtkWidgetClass *klass) {}
void listd_flow_keys_init (ListdFlowView *self) {}
void listd_flow_keys_finalize (ListdFlowView *self) {}
gboolean listd_flow_keys_focus (ListdFlowView *self, GtkDirectionType direction) { return FALSE; }
gboolean listd_flow_keys_grab_focus (ListdFlowView *self) { return FALSE; }
