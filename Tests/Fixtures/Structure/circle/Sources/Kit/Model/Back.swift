// SPDX-License-Identifier: Apache-2.0

extension Item {
    func show(in view: View) -> String { "\(Screen.self)" }
}
