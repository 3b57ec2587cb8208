// SPDX-License-Identifier: Apache-2.0

/// The events of a list that no call has returned yet, in order.
final class EventQueue {
    private(set) var events: [AdapterEvent] = []

    /// How many events are queued.
    var count: Int { events.count }

    /// Whether no event is queued.
    var isEmpty: Bool { events.isEmpty }

    func append(_ event: AdapterEvent) { events.append(event) }

    /// Inserts events behind those that were queued when a call began.
    ///
    /// - Parameter mark: how many events were queued then.
    func insert(_ new: [AdapterEvent], at mark: Int) { events.insert(contentsOf: new, at: min(mark, events.count)) }

    /// Replaces the events that came since a mark.
    func replace(since mark: Int, with new: [AdapterEvent]) { events.replaceSubrange(mark..., with: new) }

    func removeAll(where isGone: (AdapterEvent) -> Bool) { events.removeAll(where: isGone) }

    /// Returns and removes all events.
    func dequeueAll() -> [AdapterEvent] {
        defer { events = [] }
        return events
    }
}
