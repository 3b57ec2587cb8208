// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_BENCHMARKS_CDBUS_SHIM_H
#define LISTD_BENCHMARKS_CDBUS_SHIM_H
#include <dbus/dbus.h>
#endif
