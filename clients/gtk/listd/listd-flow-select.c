// SPDX-License-Identifier: Apache-2.0
#include "listd-flow-private.h"
void listd_flow_select_follow (ListdFlowView *self) {}
void listd_flow_select_finalize (ListdFlowView *self) {}
void listd_flow_select_update (ListdFlowView *self, ListdCell *cell) {}
