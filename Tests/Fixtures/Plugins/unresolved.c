// SPDX-License-Identifier: Apache-2.0

// Needs a function that no library has. The error must appear when the plugin is loaded, not in a callback.
extern int listd_there_is_no_such_function(void);
int answer(void) { return listd_there_is_no_such_function(); }
