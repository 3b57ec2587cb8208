// SPDX-License-Identifier: Apache-2.0

/// Observes the calls that a list makes to section controllers.
@_spi(Daemon) public protocol CallObserver: AnyObject {
    /// Called before a section controller is called.
    func willCall(_ call: ListControllerCall)
    /// Called after the section controller has returned.
    func didCall(_ call: ListControllerCall)
}

/// The gate for all calls from a list to foreign code: section controllers, providers, delegates and completions.
///
/// Foreign code may call back into the list at any time. A list is in one of these states:
///
/// - *Idle.* Everything runs at once.
/// - *Calling.* A call of foreign code has not returned. The list is consistent, but an outer call is using a part of
///   it. Reads, requests for updates and selections run at once. Operations that would change views (a scroll,
///   another data source) are enqueued. Calls from outside to views are refused.
/// - *Updating.* An update is being presented, and the sections have a state before and a state after it. The rules of
///   *Calling* apply, except that item updates run at once, nested in the item update that requested them.
/// - *Completing.* The completions and listeners of an update are called. The update is over, so that these callbacks
///   may also call views. No other callback may call views.
///
/// ``drain(refreshing:releasing:)`` runs the enqueued work in order, at the end of each call from outside. Callbacks
/// of that work may enqueue more work. One call runs at most 256 pieces of work and 256 scrolls and drops the rest,
/// because two sections that scroll to each other would never end.
///
/// The owner of the list is notified of activity after the outermost call has ended, so that the owner may call the
/// list from the notification. Closures that make section controllers may be nested at most 32 levels deep, so that the
/// stack cannot overflow.
final class CallGate {
    private weak var observer: (any CallObserver)?
    private var activityHandler: (() -> Void)?
    /// The number of nested calls of foreign code.
    private var depth = 0
    private var makerDepth = 0
    private var isUpdating = false
    private var isCompleting = false
    private var isDraining = false
    private var work: [() -> Void] = []
    /// The number of scrolls in `work`.
    private var scrollCount = 0
    private var hasUnreportedActivity = false

    private static let maximumMakers = 32
    private static let maximumWork = 256

    // MARK: Calling

    /// Calls a section controller.
    func call<Result>(
        _ callback: ListControllerCall.Callback, _ handle: SectionHandle, in store: SectionStore, _ body: () -> Result
    ) -> Result {
        depth += 1
        defer { depth -= 1 }
        guard let observer else { return body() }
        let call = ListControllerCall(callback, handle, in: store)
        observer.willCall(call)
        defer { observer.didCall(call) }
        return body()
    }

    /// Calls foreign code other than a section controller: a provider, a delegate, a rule, a layout.
    func callOut<Result>(_ body: () -> Result) -> Result {
        depth += 1
        defer { depth -= 1 }
        return body()
    }

    /// Runs a closure that makes a section controller. Returns `nil` if too many such closures are nested.
    func limitNesting<Result>(ofMaker body: () -> Result?) -> Result? {
        guard makerDepth < CallGate.maximumMakers else { return nil }
        makerDepth += 1
        defer { makerDepth -= 1 }
        return body()
    }

    /// Calls the completions and listeners of an update (rule EE-06).
    func runCompletions(_ body: () -> Void) {
        let outer = isCompleting
        isCompleting = depth == 0
        callOut(body)
        isCompleting = outer
    }

    // MARK: State

    /// Whether a call of foreign code has not returned yet.
    var isCalling: Bool { depth > 0 }

    /// Whether the list is not idle.
    var isBusy: Bool { depth > 0 || isUpdating }

    /// Whether calls from outside to views are allowed.
    var allowsViewCalls: Bool { depth == (isCompleting ? 1 : 0) && !isUpdating }

    /// Whether an outer call will run enqueued work when it ends.
    var drainsLater: Bool { isDraining || isBusy }

    /// Whether work is enqueued.
    var hasWork: Bool { !work.isEmpty }

    /// Enters the state *Updating*.
    func beginUpdate() { isUpdating = true }

    /// Leaves the state *Updating*.
    func endUpdate() { isUpdating = false }

    /// Sets the observer of calls of section controllers.
    func setObserver(_ new: (any CallObserver)?) { observer = new }

    /// The observer of calls of section controllers.
    var currentObserver: (any CallObserver)? { observer }

    // MARK: Enqueued work

    /// Enqueues work that runs when the outermost call ends.
    func enqueue(_ new: @escaping () -> Void) { work.append(new) }

    /// Enqueues a scroll that runs when the outermost call ends. Drops the scroll if too many are enqueued.
    func enqueueScroll(_ new: @escaping () -> Void) {
        guard scrollCount < CallGate.maximumWork else { return }
        scrollCount += 1
        work.append(new)
    }

    /// Runs enqueued work, at the end of a call from outside.
    ///
    /// - Parameters:
    ///   - refresh: updates views whose content changed. Returns whether more views changed meanwhile.
    ///   - release: releases controllers and handles that are no longer used.
    func drain(refreshing refresh: () -> Bool, releasing release: () -> Void) {
        guard !drainsLater else { return }
        isDraining = true
        defer { isDraining = false }
        var done = 0
        var isStale = false
        repeat {
            while done < limit {
                work[done]()
                done += 1
            }
            // Section controllers that are asked for items may enqueue work too.
            isStale = refresh()
        } while done < limit || isStale
        work = []
        scrollCount = 0
        release()
        guard hasUnreportedActivity else { return }
        hasUnreportedActivity = false
        activityHandler?()
    }

    private var limit: Int { min(work.count, CallGate.maximumWork + scrollCount) }

    // MARK: Activity

    /// The handler that is called when a flush becomes due, and when events are queued for the owner's next call.
    var onActivity: (() -> Void)? { activityHandler }

    /// Sets the handler that is called when a flush becomes due, and when events are queued for the owner's next call.
    func setActivityHandler(_ handler: (() -> Void)?) { activityHandler = handler }

    /// Calls the activity handler now, or when the list becomes idle.
    func reportActivity() {
        if isBusy { hasUnreportedActivity = true } else { activityHandler?() }
    }
}

/// A call of a section controller, as observers see it.
public struct ListControllerCall {
    /// The method, closure or delegate of a section controller that is called.
    @frozen public enum Callback: String, Sendable, Hashable, CaseIterable {
        /// The closure that makes the controller.
        case make
        /// `didUpdate(to:)`.
        case update
        /// `numberOfItems()`.
        case count
        /// `sizeForItem(at:)`, and the other values that a layout needs.
        case size
        /// `item(at:)`, and the content of supplementary views.
        case item
        /// The `willDisplay` methods of a display delegate, and the initial frame of a transition.
        case display
        /// The `didEndDisplaying` methods of a display delegate, and the final frame of a transition.
        case endDisplay
        /// The methods of a working range delegate.
        case workingRange
        /// The methods for selection and highlight.
        case selection
        /// `handleAction(_:parameters:at:)`.
        case action
        /// The methods for reordering, such as `canMoveItem(at:)`.
        case move
        /// The method of a scroll delegate.
        case scroll
        /// The `updates` closure of an item update.
        case batch
    }

    /// The method, closure or delegate that is called.
    public let callback: Callback
    let handle: SectionHandle
    private let store: SectionStore

    init(_ callback: Callback, _ handle: SectionHandle, in store: SectionStore) {
        self.callback = callback
        self.handle = handle
        self.store = store
    }

    /// The identifier of the section's object; empty when the object has left the list.
    public var objectID: String { store.id(of: handle) }

    /// The name of the section controller's kind; empty when the kind is unknown.
    public var controllerName: String {
        let object = store.map.object(of: handle) ?? store.map.oldObject(of: handle)
        return object.flatMap { store.cachedKind(for: $0.objectType) }??.name ?? ""
    }
}

/// A queue of the events of a list that wait to be returned by the next call of the list's owner.
final class EventQueue {
    private(set) var events: [AdapterEvent] = []

    /// The number of queued events.
    var count: Int { events.count }

    /// Whether no event is queued.
    var isEmpty: Bool { events.isEmpty }

    func append(_ event: AdapterEvent) { events.append(event) }

    /// Inserts the events of a call after the events that were already queued when the call began.
    ///
    /// - Parameter mark: the number of events that were queued when the call began.
    func insert(_ new: [AdapterEvent], at mark: Int) { events.insert(contentsOf: new, at: min(mark, events.count)) }

    /// Replaces all queued events except the first `mark`.
    func replace(since mark: Int, with new: [AdapterEvent]) { events.replaceSubrange(mark..., with: new) }

    func removeAll(where isGone: (AdapterEvent) -> Bool) { events.removeAll(where: isGone) }

    /// Returns and removes all events.
    func dequeueAll() -> [AdapterEvent] {
        defer { events = [] }
        return events
    }
}
