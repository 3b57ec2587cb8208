// SPDX-License-Identifier: Apache-2.0

/// Schedules closures on the executor that owns a list, for timers and I/O of section controllers.
///
/// The owner of a ``ListAdapter`` sets ``ListAdapter/executor``. Without an executor, no timer or callback runs.
public protocol ListExecutor: AnyObject, Sendable {
    /// Runs `work` on the list's executor after a delay; 0 = on the executor's next turn. May be called on any thread.
    func perform(after milliseconds: UInt64, _ work: @escaping @Sendable () -> Void)
}

/// A weak reference to a section controller that any thread may hold and use to run code on the list's executor.
///
/// Calls are dropped when the section is no longer in the list.
public struct ListSectionControllerReference<Controller: ListSectionController>: @unchecked Sendable {
    // The controller belongs to the list's executor and is used there only; other threads only pass it on.
    private weak let controller: Controller?
    private let executor: (any ListExecutor)?

    /// Makes a reference to a controller that is in a list. Must be called on the list's executor.
    public init(_ controller: Controller) {
        self.controller = controller
        executor = controller.context?.executor
    }

    /// Runs `body` with the controller on the list's executor. May be called on any thread.
    ///
    /// `body` must change the controller's data inside `context.performBatch`.
    public func perform(_ body: @escaping @Sendable (Controller) -> Void) {
        executor?.perform(after: 0) {
            guard let controller, controller.section != nil else { return }
            body(controller)
        }
    }
}

/// A scheduled callback. It no longer runs once its section has left the list.
public final class ListTimer {
    private(set) fileprivate var body: (() -> Void)?

    fileprivate init(_ body: @escaping () -> Void) { self.body = body }

    /// Cancels the callback; a second call has no effect.
    public func cancel() { body = nil }
}

extension ListCollectionContext {
    /// The executor of the list; `nil` when the list's owner set none.
    public var executor: (any ListExecutor)? { host.executor }

    /// Calls `body` once after a delay, unless the section has left the list by then.
    @discardableResult
    public func after(_ delay: Duration, _ body: @escaping () -> Void) -> ListTimer {
        let timer = ListTimer(body)
        schedule(timer, after: delay.wholeMilliseconds, repeating: false)
        return timer
    }

    /// Calls `body` repeatedly, first after one interval, until the timer is cancelled or the section leaves the list.
    ///
    /// An interval below one millisecond counts as one millisecond.
    @discardableResult
    public func every(_ interval: Duration, _ body: @escaping () -> Void) -> ListTimer {
        let timer = ListTimer(body)
        schedule(timer, after: max(1, interval.wholeMilliseconds), repeating: true)
        return timer
    }

    private func schedule(_ timer: ListTimer, after milliseconds: UInt64, repeating: Bool) {
        let due = DueCallback(link: link, controller: controller, timer: timer)
        executor?.perform(after: milliseconds) {
            guard let controller = due.controller ?? due.link.controller, let context = controller.context,
                controller.section != nil, let body = due.timer.body
            else { return }
            if repeating {
                context.schedule(due.timer, after: milliseconds, repeating: true)
            } else {
                due.timer.cancel()
            }
            body()
        }
    }
}

/// A timer and its section controller, for capture in the sendable closure that an executor runs.
private struct DueCallback: @unchecked Sendable {
    // All values are made on the list's executor and used only by work that runs there.
    let link: SectionLink
    /// The controller; `nil` if it had not been made when the timer was scheduled.
    weak let controller: ListSectionController?
    let timer: ListTimer
}

extension Duration {
    /// The duration in milliseconds, rounded up; 0 for a negative duration.
    fileprivate var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        return overflow ? .max : product &+ UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
