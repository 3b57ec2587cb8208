// SPDX-License-Identifier: Apache-2.0

protocol Drawn {}
struct Line: Drawn {}

struct Frame {
    let line: Line
}
