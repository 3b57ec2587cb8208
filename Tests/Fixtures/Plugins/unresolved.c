// SPDX-License-Identifier: Apache-2.0

// Needs a function that nobody has: missed when loading, not in the middle of a callback.
extern int listd_there_is_no_such_function(void);
int answer(void) { return listd_there_is_no_such_function(); }
