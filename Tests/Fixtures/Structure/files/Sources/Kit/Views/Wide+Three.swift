// SPDX-License-Identifier: Apache-2.0

extension Wide {
    func inThree() {}
}

extension Narrow {
    func inThree() {}
}
