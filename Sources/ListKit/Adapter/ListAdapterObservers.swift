// SPDX-License-Identifier: Apache-2.0

/// The observers of a list in a program, and the program's rule for an empty list.
final class ListAdapterObservers {
    private weak var adapter: ListAdapter?
    private(set) weak var delegate: (any ListAdapterDelegate)?
    private(set) weak var announcer: ListAdapterAnnouncer?
    private(set) weak var updaterDelegate: (any ListUpdaterDelegate)?
    private(set) weak var performanceDelegate: (any ListPerformanceDelegate)?
    private(set) var emptinessPredicate: ((ListAdapter) -> Bool)?
    private var listeners = WeakList<any ListUpdateListener>()

    /// Sets the observed list.
    func attach(to new: ListAdapter) { adapter = new }

    func setDelegate(_ new: (any ListAdapterDelegate)?) { delegate = new }
    func setAnnouncer(_ new: ListAdapterAnnouncer?) { announcer = new }
    func setUpdaterDelegate(_ new: (any ListUpdaterDelegate)?) { updaterDelegate = new }

    /// Sets the observer of all calls of section controllers.
    func setPerformanceDelegate(_ new: (any ListPerformanceDelegate)?) {
        performanceDelegate = new
        adapter?.presentation.callObserver = new == nil ? nil : self
    }

    /// Sets the rule by which the list counts as empty; `nil` for the rule in the options.
    func setEmptinessPredicate(_ new: ((ListAdapter) -> Bool)?) {
        emptinessPredicate = new
        adapter?.presentation.environment.setEmptinessRule(
            new.map { predicate in { [weak adapter] in adapter.map(predicate) ?? false } })
    }

    func add(_ listener: any ListUpdateListener) { listeners.add(listener) }
    func remove(_ listener: any ListUpdateListener) { listeners.remove(listener) }

    /// Notifies the listeners that an update has ended.
    func notifyListeners(_ kind: ListUpdateKind, animated: Bool) {
        guard let adapter else { return }
        for listener in listeners.elements {
            listener.adapter(adapter, didFinish: kind, animated: kind != .reloadData && animated)
        }
    }

    /// Calls the delegate of the updater, if there is one.
    func notifyUpdaterDelegate(_ message: (any ListUpdaterDelegate, ListAdapter) -> Void) {
        guard let updaterDelegate, let adapter else { return }
        adapter.presentation.store.gate.callOut { message(updaterDelegate, adapter) }
    }
}

extension ListAdapterObservers: CallObserver {
    func willCall(_ call: ListControllerCall) {
        if let adapter { performanceDelegate?.adapter(adapter, willCall: call) }
    }

    func didCall(_ call: ListControllerCall) {
        if let adapter { performanceDelegate?.adapter(adapter, didCall: call) }
    }
}

extension ListAdapterObservers: PresentationDelegate {
    func didQueueItemUpdate() { adapter?.didQueueItemUpdate() }

    func willPresent(_ baseRevision: UInt64) { notifyUpdaterDelegate { $0.adapter($1, willApply: baseRevision) } }

    /// Returns what the updater decided about an update, or decides about item updates of section controllers.
    func form(of change: Change) -> ListOptions.Updater? {
        guard let updater = adapter?.updater else { return nil }
        if change.isAnnounced { return change.scope.contains(.items) ? .reload : .batch }
        return updater.form(of: ListChangeCounts(change))
    }

    var wantsBatch: Bool { updaterDelegate != nil }

    func didPresent(_ transaction: Transaction, batch: ListBatchUpdateData?, isFallback: Bool) {
        if let batch {
            notifyUpdaterDelegate { $0.adapter($1, didApply: batch, as: transaction) }
        } else if transaction.kind == .reload {
            notifyUpdaterDelegate { $0.adapter($1, didReload: transaction, isFallback: isFallback) }
        }
    }

    func didFindFault(_ fault: SectionFault) { notifyUpdaterDelegate { $0.adapter($1, didFindFault: fault) } }

    var hasDisplayListeners: Bool { delegate != nil || announcer != nil }

    /// The delegate, followed by the announcer's listeners (rule DH-10).
    var displayListeners: [(ListObject, Int, Int?, Bool) -> Void] {
        guard let adapter else { return [] }
        let all = (delegate.map { [$0] } ?? []) + (announcer?.currentListeners ?? [])
        return all.map { delegate in
            { object, section, item, appears in
                switch (item.map { IndexPath(section: section, item: $0) }, appears) {
                case (let path?, true): delegate.adapter(adapter, willDisplay: object, itemAt: path)
                case (let path?, false): delegate.adapter(adapter, didEndDisplaying: object, itemAt: path)
                case (nil, true): delegate.adapter(adapter, willDisplay: object, at: section)
                case (nil, false): delegate.adapter(adapter, didEndDisplaying: object, at: section)
                }
            }
        }
    }
}

/// An observer of the objects that appear and disappear, where all views of a list count together.
///
/// Calls for an item come before calls for its section, and appearances come before disappearances. A disappearance
/// has the last path and the object that was shown, even if the object is no longer in the list (rules DH-11,
/// DH-12).
public protocol ListAdapterDelegate: AnyObject {
    /// Called before the first element of an object's section is shown.
    func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, at section: Int)
    /// Called after the last element of an object's section has disappeared.
    func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, at section: Int)
    /// Called before an item is shown.
    func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, itemAt path: IndexPath)
    /// Called after an item has disappeared.
    func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, itemAt path: IndexPath)
}

extension ListAdapterDelegate {
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, at section: Int) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, at section: Int) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, itemAt path: IndexPath) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, itemAt path: IndexPath) {}
}

/// An announcer that forwards the display events of several adapters to its listeners. It holds the listeners weakly.
///
/// All adapters and listeners of one announcer belong to one executor.
public final class ListAdapterAnnouncer {
    private var listeners = WeakList<any ListAdapterDelegate>()

    /// Creates an announcer without listeners.
    public init() {}

    /// Adds a listener for all display events.
    public func addListener(_ listener: any ListAdapterDelegate) { listeners.add(listener) }

    /// Removes a listener for display events.
    public func removeListener(_ listener: any ListAdapterDelegate) { listeners.remove(listener) }

    /// A copy of the current listeners, so that a listener may be removed while the others are called (rule AN-05).
    var currentListeners: [any ListAdapterDelegate] { listeners.elements }
}

/// An observer of the calls of section controllers, for statistics and to find a call that does not return.
public protocol ListPerformanceDelegate: AnyObject {
    /// Called before a section controller is called.
    func adapter(_ adapter: ListAdapter, willCall call: ListControllerCall)
    /// Called after the call of a section controller has returned.
    func adapter(_ adapter: ListAdapter, didCall call: ListControllerCall)
}

/// An observer of the updater of a list.
///
/// IGListKit's events for changes outside of a batch do not exist, because every change of items is part of a batch.
public protocol ListUpdaterDelegate: AnyObject {
    /// Called before a diff is computed.
    func adapter(_ adapter: ListAdapter, willDiffFrom old: [ListObject], to new: [ListObject])
    /// Called after a diff was computed.
    func adapter(_ adapter: ListAdapter, didDiff result: ListIndexSetResult, onBackgroundThread: Bool)
    /// Called before a transaction is applied.
    func adapter(_ adapter: ListAdapter, willApply baseRevision: UInt64)
    /// Called after a transaction was applied as a batch.
    ///
    /// - Parameters:
    ///   - batch: the changes in the form of IGListKit's batch data.
    ///   - transaction: the changes as they are announced.
    func adapter(_ adapter: ListAdapter, didApply batch: ListBatchUpdateData, as transaction: Transaction)
    /// Called after a transaction was applied as a reload.
    ///
    /// - Parameter isFallback: whether the change was too large for a batch.
    func adapter(_ adapter: ListAdapter, didReload transaction: Transaction, isFallback: Bool)
    /// Called after a flush has ended without changes.
    func adapterDidFinishWithoutUpdates(_ adapter: ListAdapter)
    /// Called when a section is found to be at fault. In the same situation, IGListKit would crash.
    func adapter(_ adapter: ListAdapter, didFindFault fault: SectionFault)
}

extension ListUpdaterDelegate {
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, willDiffFrom old: [ListObject], to new: [ListObject]) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didDiff result: ListIndexSetResult, onBackgroundThread: Bool) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, willApply baseRevision: UInt64) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didApply batch: ListBatchUpdateData, as transaction: Transaction) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didReload transaction: Transaction, isFallback: Bool) {}
    /// Does nothing.
    public func adapterDidFinishWithoutUpdates(_ adapter: ListAdapter) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didFindFault fault: SectionFault) {}
}

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

/// An ordered list of weak references to objects.
struct WeakList<Element> {
    private struct Reference {
        weak var object: AnyObject?
    }

    private var references: [Reference] = []

    /// The objects that still exist, in the order in which they were added.
    var elements: [Element] {
        // Nil is dropped before the cast: in optimised code, casting nil to a generic class type ends the process.
        references.compactMap(\.object).compactMap { $0 as? Element }
    }

    mutating func add(_ element: Element) {
        remove(element)
        references.append(Reference(object: element as AnyObject))
    }

    mutating func remove(_ element: Element) {
        let object = element as AnyObject
        references.removeAll { $0.object == nil || $0.object === object }
    }
}
