// SPDX-License-Identifier: Apache-2.0

/// A value that a class stores; whoever has a copy of `note` changes that one.
struct Item {
    private(set) var title = ""
    var note = ""
    var place: Place? { nil }

    mutating func rename(_ title: String) { self.title = title }

    struct Place {
        var row = 0
    }
}

enum Slot {}
