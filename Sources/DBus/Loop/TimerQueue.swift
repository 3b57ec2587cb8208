// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A handle to a timer of the event loop.
@DBusActor
public final class LoopTimer {
    fileprivate var body: (@DBusActor () -> Void)?
    fileprivate var interval: UInt64?
    /// Informs the queue that the timer was cancelled.
    fileprivate let onCancellation: @DBusActor () -> Void

    fileprivate init(
        interval: UInt64?, body: @escaping @DBusActor () -> Void, onCancellation: @escaping @DBusActor () -> Void
    ) {
        self.interval = interval
        self.body = body
        self.onCancellation = onCancellation
    }

    /// Whether the timer can still fire. A repeating timer is active until it is cancelled.
    public var isActive: Bool { body != nil }

    /// Cancels the timer. Has no effect when the timer was cancelled or has already fired.
    public func cancel() {
        guard body != nil else { return }
        body = nil
        onCancellation()
    }
}

/// The timers in a binary heap, ordered by deadline. Cancelled timers are removed when they are the majority.
@DBusActor
final class TimerQueue {
    private struct QueuedTimer {
        let deadline: UInt64
        let order: UInt64
        let timer: LoopTimer

        func isBefore(_ other: QueuedTimer) -> Bool {
            deadline != other.deadline ? deadline < other.deadline : order < other.order
        }
    }

    private var heap: [QueuedTimer] = []
    private var cancelled = 0
    private var order: UInt64 = 0

    nonisolated init() {}

    /// Adds a timer that fires after `interval`, and again after each further `interval` if it repeats.
    ///
    /// - Complexity: O(log n)
    func add(after interval: Duration, repeats: Bool, _ body: @escaping @DBusActor () -> Void) -> LoopTimer {
        let nanoseconds = interval.nanosecondsClamped
        let timer = LoopTimer(
            interval: repeats ? max(nanoseconds, 1) : nil, body: body,
            onCancellation: { [weak self] in self?.recordCancellation() })
        push(timer, deadline: Self.now() &+ nanoseconds)
        return timer
    }

    /// Returns the time until the first deadline in milliseconds, rounded up; -1 if there are no timers.
    func millisecondsToNext() -> Int32 {
        while let first = heap.first, !first.timer.isActive { dropFirstCancelled() }
        guard let first = heap.first else { return -1 }
        let time = Self.now()
        guard first.deadline > time else { return 0 }
        return Int32(clamping: (first.deadline - time + 999_999) / 1_000_000)
    }

    /// Runs due timers in the order of their deadlines. A timer that is added by one of them waits for the next turn.
    func fireDue() {
        guard !heap.isEmpty else { return }
        let time = Self.now()
        let newest = order
        while let first = heap.first, first.deadline <= time, first.order <= newest {
            popFirst()
            fire(first.timer, at: time)
        }
    }

    private func fire(_ timer: LoopTimer, at time: UInt64) {
        guard let body = timer.body else {
            cancelled -= 1
            return
        }
        if let interval = timer.interval {
            push(timer, deadline: time &+ interval)
        } else {
            timer.body = nil
        }
        body()
    }

    private func recordCancellation() {
        cancelled += 1
        guard cancelled > 64, cancelled * 2 > heap.count else { return }
        heap = heap.filter { $0.timer.isActive }
        heap.sort { $0.isBefore($1) }  // a sorted array is a heap
        cancelled = 0
    }

    /// Returns the current time of the monotonic clock in nanoseconds.
    static func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

// MARK: - The heap

extension TimerQueue {
    private func push(_ timer: LoopTimer, deadline: UInt64) {
        order += 1
        heap.append(QueuedTimer(deadline: deadline, order: order, timer: timer))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private func popFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].isBefore(heap[smallest]) {
                smallest = child
            }
            guard smallest != parent else { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }

    private func dropFirstCancelled() {
        popFirst()
        cancelled -= 1
    }
}

extension Duration {
    /// The duration in whole nanoseconds. Negative durations become 0, and durations of more than 146 years become
    /// 146 years.
    var nanosecondsClamped: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 4_611_686_018 else { return 4_611_686_018_000_000_000 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}

/// An exponential backoff: the delay before the next attempt doubles with each failure.
public struct Backoff: Sendable {
    private let shortest: Duration
    private let longest: Duration
    private var delay: Duration

    /// Creates a backoff whose delay begins at `shortest` and never exceeds `longest`.
    public init(from shortest: Duration, upTo longest: Duration) {
        (self.shortest, self.longest, delay) = (shortest, longest, shortest)
    }

    /// Records a failure and returns the delay before the next attempt.
    public mutating func next() -> Duration {
        defer { delay = min(delay * 2, longest) }
        return delay
    }

    /// Records a success: the next delay is the shortest one again.
    public mutating func reset() { delay = shortest }
}
