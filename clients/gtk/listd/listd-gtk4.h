// SPDX-License-Identifier: Apache-2.0
#pragma once

#define LISTD_GTK_INSIDE
#include "listd-cell.h"
#include "listd-fields.h"
#include "listd-flow-view.h"
#include "listd-follow.h"
#include "listd-selection.h"
#include "listd-widget-pool.h"
#undef LISTD_GTK_INSIDE
