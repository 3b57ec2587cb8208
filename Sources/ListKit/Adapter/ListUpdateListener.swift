// SPDX-License-Identifier: Apache-2.0

/// Observes every update of a list, just before the completions of its requests.
public protocol ListUpdateListener: AnyObject {
    /// An update has ended.
    func adapter(_ adapter: ListAdapter, didFinish update: ListUpdateKind, animated: Bool)
}

/// The kinds of updates (rules EE-66 to EE-70).
@frozen public enum ListUpdateKind: Sendable, Hashable {
    /// Objects changed.
    case performUpdates
    /// All section controllers were replaced; never animated.
    case reloadData
    /// Only items changed.
    case itemUpdates
}
