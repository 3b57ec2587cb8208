// SPDX-License-Identifier: Apache-2.0

extension Wide.Part {
    func inPart() {}
}
