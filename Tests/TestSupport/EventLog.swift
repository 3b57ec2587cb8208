// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// A queue of a test's events. Callbacks record events, and the test awaits them in order.
///
/// Tests wait for events, never for time. The timeout only ends a test that would hang.
package final class EventLog<Event: Sendable>: Sendable {
    private struct Waiter {
        let number: Int
        let matches: @Sendable (Event) -> Bool
        let continuation: CheckedContinuation<Event?, Never>
    }

    private struct State {
        var events: [Event] = []
        var waiter: Waiter?
        var nextNumber = 0
    }

    /// The error of an event that did not occur in time.
    package struct TimedOut: Error, CustomStringConvertible {
        /// A description of the missing event.
        package let description: String
    }

    private let state = Mutex(State())

    /// Creates an empty log.
    package init() {}

    /// Records an event. May be called on any thread.
    package func record(_ event: Event) {
        let waiter: Waiter? = state.withLock { state in
            guard let waiter = state.waiter, waiter.matches(event) else {
                state.events.append(event)
                return nil
            }
            state.events = []
            state.waiter = nil
            return waiter
        }
        waiter?.continuation.resume(returning: event)
    }

    /// Removes and returns the next event. Waits for it if there is none.
    package func next(timeout: Duration = .seconds(20)) async throws -> Event {
        try await next(timeout: timeout) { _ in true }
    }

    /// Removes and returns the next event that `matches`, and drops the events before it. Only one caller may wait
    /// at a time.
    package func next(
        timeout: Duration = .seconds(20), where matches: @escaping @Sendable (Event) -> Bool
    ) async throws -> Event {
        let event: Event? = await withCheckedContinuation { continuation in
            let found: (event: Event?, number: Int?) = state.withLock { state in
                if let index = state.events.firstIndex(where: matches) {
                    let event = state.events[index]
                    state.events.removeFirst(index + 1)
                    return (event, nil)
                }
                state.nextNumber += 1
                state.waiter = Waiter(number: state.nextNumber, matches: matches, continuation: continuation)
                return (nil, state.nextNumber)
            }
            if let number = found.number {
                endWait(ofWaiter: number, after: timeout)
            } else {
                continuation.resume(returning: found.event)
            }
        }
        guard let event else {
            throw TimedOut(description: "no such event within \(timeout); there were \(recorded)")
        }
        return event
    }

    /// The recorded events that have not been removed.
    package var recorded: [Event] { state.withLock { $0.events } }

    private func endWait(ofWaiter number: Int, after timeout: Duration) {
        let seconds = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
            let waiter: Waiter? = state.withLock { state in
                guard state.waiter?.number == number else { return nil }
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.continuation.resume(returning: nil)
        }
    }
}
