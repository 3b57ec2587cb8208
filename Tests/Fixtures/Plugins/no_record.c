// SPDX-License-Identifier: Apache-2.0

// Exports a function with the name of the entry point that does not return a plugin's record.
struct listd_plugin_call;
void listd_plugin(struct listd_plugin_call *call) { (void)call; }
