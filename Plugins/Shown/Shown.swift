// SPDX-License-Identifier: Apache-2.0

// Empty: the target exists so that its dependencies are built.
