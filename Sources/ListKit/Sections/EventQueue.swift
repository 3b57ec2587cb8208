// SPDX-License-Identifier: Apache-2.0

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
