// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "listd-marks.h"
#include "listd-selection.h"

G_BEGIN_DECLS

ListdMarks *listd_selection_get_marks (ListdSelection *selection);

G_END_DECLS
