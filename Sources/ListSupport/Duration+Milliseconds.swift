// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The length in whole milliseconds.
    package var milliseconds: Int64 {
        let (product, overflow) = components.seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max : product &+ components.attoseconds / 1_000_000_000_000_000
    }
}
