// SPDX-License-Identifier: Apache-2.0

// A good shared object that is no plugin.
int answer(void) { return 42; }
