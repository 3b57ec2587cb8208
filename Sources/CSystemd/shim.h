// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CSYSTEMD_SHIM_H
#define LISTD_CSYSTEMD_SHIM_H

// Without this, the macros of sd-journal.h would add the location in this header to every entry.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-daemon.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>

#endif
