// SPDX-License-Identifier: Apache-2.0

/// An observer of the calls of section controllers, for statistics and to find a call that does not return.
public protocol ListPerformanceDelegate: AnyObject {
    /// Called before a section controller is called.
    func adapter(_ adapter: ListAdapter, willCall call: ListControllerCall)
    /// Called after the call of a section controller has returned.
    func adapter(_ adapter: ListAdapter, didCall call: ListControllerCall)
}
