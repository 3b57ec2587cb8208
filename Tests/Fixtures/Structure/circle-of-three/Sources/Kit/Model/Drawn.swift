// SPDX-License-Identifier: Apache-2.0

struct Drawn {
    let pixels: Item.Pixels
}
