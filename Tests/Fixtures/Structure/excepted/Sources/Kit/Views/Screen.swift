// SPDX-License-Identifier: Apache-2.0

struct Screen {
    let items: [Item]
}
