// SPDX-License-Identifier: Apache-2.0

extension Wide {
    func inTwo() {}
}

extension Narrow {
    func inTwo() {}
}
