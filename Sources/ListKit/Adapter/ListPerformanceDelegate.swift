// SPDX-License-Identifier: Apache-2.0

/// Is told before and after each call of a section controller: for statistics, and for naming the one that never came back.
public protocol ListPerformanceDelegate: AnyObject {
    /// A section controller is about to be called.
    func adapter(_ adapter: ListAdapter, willCall call: ListControllerCall)
    /// The call is over.
    func adapter(_ adapter: ListAdapter, didCall call: ListControllerCall)
}
