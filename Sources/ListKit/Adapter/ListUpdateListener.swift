// SPDX-License-Identifier: Apache-2.0

/// Is told of every update of a list, just before the completions of its requests.
public protocol ListUpdateListener: AnyObject {
    /// An update is over.
    func adapter(_ adapter: ListAdapter, didFinish update: ListUpdateKind, animated: Bool)
}

/// The kinds of updates (rules EE-66 to EE-70).
@frozen public enum ListUpdateKind: Sendable, Hashable {
    /// Objects changed.
    case performUpdates
    /// All section controllers were made anew; never animated.
    case reloadData
    /// Only items changed.
    case itemUpdates
}

extension ListAdapter {
    /// Tells a listener of every update from now on; it is held weakly.
    public func addUpdateListener(_ listener: any ListUpdateListener) { updateListeners.add(listener) }

    /// Tells a listener nothing more.
    public func removeUpdateListener(_ listener: any ListUpdateListener) { updateListeners.remove(listener) }

    func notifyListeners(_ flush: Flush) {
        let kind: ListUpdateKind =
            flush.reloadsAll || flush.relaysOut
            ? .reloadData : flush.isOfItemsOnly ? .itemUpdates : .performUpdates
        completing {
            for listener in updateListeners.elements {
                listener.adapter(self, didFinish: kind, animated: kind != .reloadData && flush.isAnimated)
            }
        }
    }
}

extension Flush {
    /// Whether no request asked for more than items.
    fileprivate var isOfItemsOnly: Bool {
        work.allSatisfy { element in
            if case .itemUpdate = element { true } else { false }
        }
    }
}
