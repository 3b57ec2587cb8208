// SPDX-License-Identifier: Apache-2.0

/// Observes the calls of section controllers, for statistics and for finding one that does not return.
public protocol ListPerformanceDelegate: AnyObject {
    /// A section controller is about to be called.
    func adapter(_ adapter: ListAdapter, willCall call: ListControllerCall)
    /// The call has returned.
    func adapter(_ adapter: ListAdapter, didCall call: ListControllerCall)
}
