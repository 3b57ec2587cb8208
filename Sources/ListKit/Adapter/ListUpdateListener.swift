// SPDX-License-Identifier: Apache-2.0

/// An observer of all updates of a list. It is called directly before the completions of the update's requests.
public protocol ListUpdateListener: AnyObject {
    /// Called after an update has ended.
    func adapter(_ adapter: ListAdapter, didFinish update: ListUpdateKind, animated: Bool)
}

/// The kinds of updates (rules EE-66 to EE-70).
@frozen public enum ListUpdateKind: Sendable, Hashable {
    /// Requests were applied without a reload of the whole list.
    case performUpdates
    /// All section controllers were replaced, or all views got a new layout. Never animated.
    case reloadData
    /// Only item updates were applied.
    case itemUpdates
}
