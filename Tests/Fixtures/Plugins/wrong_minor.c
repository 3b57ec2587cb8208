// SPDX-License-Identifier: Apache-2.0

// A plugin for a later minor API version, also built with another compiler. The error must name the API first.
#include "listd-plugin.h"

void listd_plugin(struct listd_plugin_call *call) {
    if (call->ask != listd_plugin_ask_record) __builtin_trap();
    call->magic = listd_plugin_magic;
    call->api_major = LISTD_PLUGIN_API_MAJOR;
    call->api_minor = LISTD_PLUGIN_API_MINOR + 1;
    call->compiler = "another";
}
