// SPDX-License-Identifier: Apache-2.0

// A library that happens to export a function of the right name.
struct listd_plugin_call;
void listd_plugin(struct listd_plugin_call *call) { (void)call; }
