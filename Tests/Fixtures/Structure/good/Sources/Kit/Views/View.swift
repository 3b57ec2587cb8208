// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Not a use of Screen in a circle: Model is what the folder Views uses, and comments do not count.
final class View {
    private var item = Item()
    private(set) var isShown = false { didSet { shown += 1 } }
    fileprivate(set) var shown = 0
    private weak var parent: View?
    private let count = Mutex(Count())
    let identifier = 1
    var twice: Int { shown * 2 }
    lazy private(set) var name = "Main"

    private final class Count {
        var value = 0
    }

    /// Its own, and not that of another folder.
    struct Slot {
        var index = 0
    }

    func note<Main>(_ text: Main) -> Item {
        final class Local {
            var text = ""
        }
        var copy = item
        copy.note = "a copy"
        copy.note.append(Local().text)
        return copy
    }

    func slot() -> Slot { Slot() }
}

/// The interface for programs.
public final class Interface {
    /// Programs set it.
    public var title = ""
    /// Programs read it.
    public private(set) var count = 0
}
