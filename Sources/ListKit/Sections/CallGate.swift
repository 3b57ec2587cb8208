// SPDX-License-Identifier: Apache-2.0

/// Observes the calls of section controllers.
@_spi(Daemon) public protocol CallObserver: AnyObject {
    /// A section controller is about to be called.
    func willCall(_ call: ListControllerCall)
    /// The call is over.
    func didCall(_ call: ListControllerCall)
}

/// The only place from which a list calls code that is not its own: section controllers, providers, delegates, completions.
///
/// Such code may call back into the list at any time. A list is in one of these states:
///
/// - *Idle.* Everything runs at once.
/// - *Calling.* Some code that was called has not returned. The list is consistent, but an outer call is using a part of it.
///   Reads, requests for updates and selections run at once; what would change views (a scroll, another data source) is
///   enqueued. Calls of views from outside are refused.
/// - *Updating.* The sections have two states, before and after. As in *Calling*, but item updates run at once, inside of the
///   one that asked for them.
/// - *Completing.* Completions and listeners of an update are called. The update is over, so that views may be called too;
///   no other callback may call them.
///
/// ``drain(refreshing:releasing:)``, at the end of each call from outside, runs what was enqueued, in order. Callbacks of that work
/// may enqueue more: one call runs at most 256 pieces of work and 256 scrolls; the rest is dropped, because two sections that
/// scroll to each other would never end.
///
/// The owner of the list is notified of activity when the outermost call has ended, so that it may call the list at once.
/// Section controllers that are made from inside of each other's makers are limited to 32, so that the stack cannot overflow.
final class CallGate {
    private weak var observer: (any CallObserver)?
    private var activityHandler: (() -> Void)?
    /// How many calls are nested.
    private var depth = 0
    private var makerDepth = 0
    private var isUpdating = false
    private var isCompleting = false
    private var isDraining = false
    private var work: [() -> Void] = []
    /// How many scrolls are among the work.
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

    /// Calls other code that is not the list's own: a provider, a delegate, a rule, a layout.
    func callOut<Result>(_ body: () -> Result) -> Result {
        depth += 1
        defer { depth -= 1 }
        return body()
    }

    /// Makes a section controller; `nil` from inside of too many others' makers.
    func make<Result>(_ body: () -> Result?) -> Result? {
        guard makerDepth < CallGate.maximumMakers else { return nil }
        makerDepth += 1
        defer { makerDepth -= 1 }
        return body()
    }

    /// Calls the completions and listeners of an update (rule EE-06).
    func complete(_ body: () -> Void) {
        let outer = isCompleting
        isCompleting = depth == 0
        callOut(body)
        isCompleting = outer
    }

    // MARK: State

    /// Whether code that is not the list's own is being called.
    var isCalling: Bool { depth > 0 }

    /// Whether the list is not idle.
    var isBusy: Bool { depth > 0 || isUpdating }

    /// Whether views may be called.
    var allowsViewCalls: Bool { depth == (isCompleting ? 1 : 0) && !isUpdating }

    /// Whether an outer call will run enqueued work when it ends.
    var drainsLater: Bool { isDraining || isBusy }

    /// Whether work is enqueued.
    var hasWork: Bool { !work.isEmpty }

    /// Begins *Updating*: the sections have two states.
    func beginUpdate() { isUpdating = true }

    /// Ends *Updating*: the sections have one state.
    func endUpdate() { isUpdating = false }

    /// Sets the observer of calls of section controllers.
    func setObserver(_ new: (any CallObserver)?) { observer = new }

    /// The observer of calls of section controllers.
    var currentObserver: (any CallObserver)? { observer }

    // MARK: Enqueued work

    /// Runs work when the outermost call ends.
    func enqueue(_ new: @escaping () -> Void) { work.append(new) }

    /// Runs a scroll when the outermost call ends, unless too many are enqueued.
    func enqueueScroll(_ new: @escaping () -> Void) {
        guard scrollCount < CallGate.maximumWork else { return }
        scrollCount += 1
        work.append(new)
    }

    /// Runs enqueued work, at the end of a call from outside.
    ///
    /// - Parameters:
    ///   - refresh: updates views whose content changed; returns whether there are more.
    ///   - release: frees what is no longer needed.
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
            // Section controllers that are asked for contents may enqueue work too.
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

    /// Called when something happened that no call of the owner returns.
    var onActivity: (() -> Void)? { activityHandler }

    /// Sets the handler of activity.
    func setActivityHandler(_ handler: (() -> Void)?) { activityHandler = handler }

    /// Calls the handler of activity, unless the list is not idle.
    func reportActivity() {
        if isBusy { hasUnreportedActivity = true } else { activityHandler?() }
    }
}
