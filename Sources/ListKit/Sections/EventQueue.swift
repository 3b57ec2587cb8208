// SPDX-License-Identifier: Apache-2.0

/// What happened in a list and no answer has carried yet, in order.
final class EventQueue {
    private(set) var events: [AdapterEvent] = []

    /// How many events wait.
    var count: Int { events.count }

    /// Whether no event waits.
    var isEmpty: Bool { events.isEmpty }

    func append(_ event: AdapterEvent) { events.append(event) }

    /// Puts events where others waited when a call began.
    ///
    /// - Parameter mark: how many events waited then.
    func insert(_ new: [AdapterEvent], at mark: Int) { events.insert(contentsOf: new, at: min(mark, events.count)) }

    /// Replaces the events that came since a mark.
    func replace(since mark: Int, with new: [AdapterEvent]) { events.replaceSubrange(mark..., with: new) }

    func removeAll(where isGone: (AdapterEvent) -> Bool) { events.removeAll(where: isGone) }

    /// Empties the queue.
    func dequeueAll() -> [AdapterEvent] {
        defer { events = [] }
        return events
    }
}
