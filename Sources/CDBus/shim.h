#ifndef LISTD_CDBUS_SHIM_H
#define LISTD_CDBUS_SHIM_H

#include <dbus/dbus.h>

#endif
