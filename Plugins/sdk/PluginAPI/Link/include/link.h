/* SPDX-License-Identifier: Apache-2.0 */

/* Empty: the target exists for its linker settings. */
