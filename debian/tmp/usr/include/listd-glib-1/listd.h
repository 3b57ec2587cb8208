// SPDX-License-Identifier: Apache-2.0
#pragma once

#define LISTD_INSIDE
#include "listd-error.h"
#include "listd-client.h"
#include "listd-filter.h"
#include "listd-info.h"
#include "listd-item.h"
#include "listd-list.h"
#include "listd-transaction.h"
#include "listd-view.h"
#undef LISTD_INSIDE
