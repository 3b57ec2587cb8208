// SPDX-License-Identifier: Apache-2.0

// A valid shared object that is not a plugin.
int answer(void) { return 42; }
