// SPDX-License-Identifier: Apache-2.0

// A type inside another folder's type stands where its own declaration does.
extension Item {
    struct Pixels {}
}

func paint(_ view: View) {}
