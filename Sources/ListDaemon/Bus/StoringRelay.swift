// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListStore
internal import ListWorkers

/// The path of a list's transactions to the store: directly from the host's executor, and back through the bus thread,
/// which is woken once for all transactions of one commit.
///
/// The receiver of an answer is looked up on the bus thread, where hosts are made: a host may store something as soon
/// as it exists, before its creator could direct the answers to it.
@DBusActor
final class StoringRelay {
    private nonisolated let list: StoredList
    private weak var host: (any ListHosting)?

    nonisolated init(_ list: StoredList) {
        self.list = list
    }

    /// Sends the answers of the store to a host from now on: to the first one, and to the next one when the one before has
    /// ended and waits for nothing. Call it in the same turn of the bus thread in which the host is made.
    func setTarget(_ host: any ListHosting) { self.host = host }

    /// Takes what a host yields; what is not to be stored goes on to another sink.
    nonisolated func sink(_ other: @escaping ListHost.Sink) -> ListHost.Sink {
        { effects in
            guard effects.contains(where: \.isStore) else { return other(effects) }
            var others = effects
            others.removeAll { effect in
                switch effect {
                case .store(let token, let work): self.list.write(work) { self.answer(token, $0) }
                case .status, .event, .losses, .selection, .view, .closed, .paused, .announce, .answer: return false
                }
                return true
            }
            if !others.isEmpty { other(others) }
        }
    }

    private nonisolated func answer(_ token: StoringToken, _ error: ListError?) {
        EventLoop.shared.post { self.host?.enqueueOnLoop(.stored(token, error)) }
    }
}

extension AdapterEffect {
    /// Whether it asks for a write.
    fileprivate var isStore: Bool { if case .store = self { true } else { false } }
}
