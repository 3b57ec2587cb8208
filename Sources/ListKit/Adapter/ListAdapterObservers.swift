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
    var displayListeners: [any DisplayListener] {
        guard let adapter else { return [] }
        let all = (delegate.map { [$0] } ?? []) + (announcer?.currentListeners ?? [])
        return all.map { DelegateRelay(adapter: adapter, delegate: $0) }
    }
}

/// A display listener that forwards to a delegate.
private struct DelegateRelay: DisplayListener {
    let adapter: ListAdapter
    let delegate: any ListAdapterDelegate

    func handleDisplay(of object: ListObject, section: Int, item: Int?, appears: Bool) {
        switch (item, appears) {
        case (let item?, true):
            delegate.adapter(adapter, willDisplay: object, itemAt: IndexPath(section: section, item: item))
        case (let item?, false):
            delegate.adapter(adapter, didEndDisplaying: object, itemAt: IndexPath(section: section, item: item))
        case (nil, true): delegate.adapter(adapter, willDisplay: object, at: section)
        case (nil, false): delegate.adapter(adapter, didEndDisplaying: object, at: section)
        }
    }
}
