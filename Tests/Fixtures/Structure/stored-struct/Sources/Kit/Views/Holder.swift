// SPDX-License-Identifier: Apache-2.0

import Synchronization

final class Holder {
    private(set) var state = State()
    private let locked = Mutex(State())
    private var all: [Int: State] = [:]

    func change() {
        state.change()
        state.assigned = 1
        self.all[1]?.added.append(1)
        locked.withLock { $0.inLock += 1 }
        state.inside.deep -= 1
        swap(&state.inside.passed, &state.inside.deep)
        var state = self.state
        state.own = 5
    }
}

extension State {
    mutating func changeElsewhere() { byExtension = 1 }

    init(own: Int) { self.own = own }
}

func change(_ holder: Holder) {
    holder.state.byOther = 1
}
