// SPDX-License-Identifier: Apache-2.0

// A plugin for a major API version that does not exist yet.
#include "listd-plugin.h"

void listd_plugin(struct listd_plugin_call *call) {
    if (call->ask != listd_plugin_ask_record) __builtin_trap();
    call->magic = listd_plugin_magic;
    call->api_major = 99;
    call->api_minor = 7;
    call->compiler = listd_compiler();
}
