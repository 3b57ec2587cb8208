// SPDX-License-Identifier: Apache-2.0

struct State {
    var own = 0
    var assigned = 0
    var added: [Int] = []
    var inLock = 0
    var byExtension = 0
    var inside = Inside()
    var byOther = 0

    struct Inside {
        var deep = 0
        var passed = 0
    }

    mutating func change() { own += 1 }
}
