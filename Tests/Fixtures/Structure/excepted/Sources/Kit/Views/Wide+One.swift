// SPDX-License-Identifier: Apache-2.0

extension Wide {
    func inOne() {}
}

extension Narrow {
    func inOne() {}
}
