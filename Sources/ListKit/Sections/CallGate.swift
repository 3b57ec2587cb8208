// SPDX-License-Identifier: Apache-2.0

/// Is told before and after each call of a section controller.
@_spi(Daemon) public protocol CallObserver: AnyObject {
    /// A section controller is about to be called.
    func willCall(_ call: ListControllerCall)
    /// The call is over.
    func didCall(_ call: ListControllerCall)
}

/// The only place from which a list calls code that is not its own: section controllers, providers, delegates, completions.
///
/// Such code may call the list back at any time. A list can be in one of these states:
///
/// - *Idle.* Everything runs at once.
/// - *Calling.* Some code that was called has not returned. The list is consistent, but work of an outer call has a part of it in
///   hand. Reading, asking for an update and selecting run at once; what would change views (a scroll, another data source)
///   is enqueued. Calls of views from outside are refused.
/// - *Updating.* The sections have their state before and their state after. As above; item updates run at once, inside of the
///   one that asked for them.
/// - *Completing.* Completions and listeners of an update are called. The list is as the update left it, so that views may be
///   called too, which nothing else may from inside of a callback.
///
/// ``drain(refreshing:releasing:)``, at the end of each call from outside, runs what was enqueued, in order. Callbacks of that work
/// may enqueue more: at most 256 pieces of work run in one call, and as many more as there were scrolls, which are limited
/// likewise; the rest is dropped, or two sections that scroll to each other would go on for ever.
///
/// The owner of the list is told of activity when none of its calls is under way any more, so that it may call the list at once.
/// Section controllers that are made from inside of each other's makers are limited to 32, or the stack would overflow.
final class CallGate {
    private weak var observer: (any CallObserver)?
    private var activityHandler: (() -> Void)?
    /// How many calls are under way, each from inside of the one before.
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

    /// Calls anything else that is not the list's own: a provider, a delegate, a rule, a layout.
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

    /// Calls those who wait for the end of an update (rule EE-06).
    func complete(_ body: () -> Void) {
        let outer = isCompleting
        isCompleting = depth == 0
        callOut(body)
        isCompleting = outer
    }

    // MARK: State

    /// Whether code that is not the list's own is being called.
    var isCalling: Bool { depth > 0 }

    /// Whether the list is in the middle of something.
    var isBusy: Bool { depth > 0 || isUpdating }

    /// Whether views may be called.
    var allowsViewCalls: Bool { depth == (isCompleting ? 1 : 0) && !isUpdating }

    /// Whether the end of an outer call runs what was enqueued.
    var drainsLater: Bool { isDraining || isBusy }

    /// Whether work waits.
    var hasWork: Bool { !work.isEmpty }

    /// The sections have two states from here on.
    func beginUpdate() { isUpdating = true }

    /// The sections have one state again.
    func endUpdate() { isUpdating = false }

    /// Has somebody told of the calls of section controllers.
    func setObserver(_ new: (any CallObserver)?) { observer = new }

    /// Who is told of the calls of section controllers.
    var currentObserver: (any CallObserver)? { observer }

    // MARK: Work that waits

    /// Runs work when the outermost call ends.
    func enqueue(_ new: @escaping () -> Void) { work.append(new) }

    /// Runs a scroll when the outermost call ends, unless too many wait already.
    func enqueueScroll(_ new: @escaping () -> Void) {
        guard scrollCount < CallGate.maximumWork else { return }
        scrollCount += 1
        work.append(new)
    }

    /// Runs what was enqueued, at the end of a call from outside.
    ///
    /// - Parameters:
    ///   - refresh: brings views up to date that show something else now; answers whether there are more.
    ///   - release: gives back what nobody needs any more.
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
            // Those who are asked for what a view shows anew may want something, too.
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

    /// What is called when something happened that no call of the owner answers.
    var onActivity: (() -> Void)? { activityHandler }

    /// Sets what is called then.
    func setActivityHandler(_ handler: (() -> Void)?) { activityHandler = handler }

    /// Tells the owner that something happened, once the list is not in the middle of something.
    func reportActivity() {
        if isBusy { hasUnreportedActivity = true } else { activityHandler?() }
    }
}
