// SPDX-License-Identifier: Apache-2.0
#include "listd-flow-private.h"
void listd_flow_pointer_init (ListdFlowView *self) {}
void listd_flow_pointer_dispose (ListdFlowView *self) {}
void listd_flow_pointer_allocate (ListdFlowView *self) {}
void listd_flow_pointer_snapshot (ListdFlowView *self, GtkSnapshot *snapshot) {}
void listd_flow_pointer_update (ListdFlowView *self) {}
