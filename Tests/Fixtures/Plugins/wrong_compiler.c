// SPDX-License-Identifier: Apache-2.0

// A plugin for the right API version, built with another compiler.
#include "listd-plugin.h"

void listd_plugin(struct listd_plugin_call *call) {
    if (call->ask != listd_plugin_ask_record) __builtin_trap();
    call->magic = listd_plugin_magic;
    call->api_major = LISTD_PLUGIN_API_MAJOR;
    call->api_minor = LISTD_PLUGIN_API_MINOR;
    call->swift_version = 0x050901;
    call->compiler = "15.0.0 of another house";
}
