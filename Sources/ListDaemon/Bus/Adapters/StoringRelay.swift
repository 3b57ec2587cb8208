// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListStore
internal import ListWorkers

/// The path of a list's transactions to the store. They go to the store directly from the host's executor; the
/// answers return through the bus thread, which is woken once for all transactions of a commit.
///
/// The host that receives an answer is looked up on the bus thread, where hosts are made, because a host may store
/// something as soon as it exists, before its creator can call ``setTarget(_:)``.
@DBusActor
final class StoringRelay {
    private nonisolated let list: StoredList
    private weak var host: (any ListHosting)?

    nonisolated init(_ list: StoredList) {
        self.list = list
    }

    /// Sets the host that receives the store's answers: the first host, or the next one when the previous one has
    /// ended without pending answers. Must be called in the same iteration of the event loop in which the host is
    /// made.
    func setTarget(_ host: any ListHosting) { self.host = host }

    /// Returns a sink for the host's effects that sends writes to the store, and passes all other effects on to
    /// `other`.
    nonisolated func sink(passingOnTo other: @escaping ListHost.Sink) -> ListHost.Sink {
        { effects in
            guard effects.contains(where: \.isStore) else { return other(effects) }
            var others = effects
            others.removeAll { effect in
                switch effect {
                case .store(let token, let work): self.list.write(work) { self.passOnAnswer(to: token, error: $0) }
                case .status, .event, .losses, .selection, .view, .closed, .paused, .announce, .answer: return false
                }
                return true
            }
            if !others.isEmpty { other(others) }
        }
    }

    private nonisolated func passOnAnswer(to token: StoringToken, error: ListError?) {
        EventLoop.shared.post { self.host?.enqueueOnLoop(.stored(token, error)) }
    }
}

extension AdapterEffect {
    /// Whether the effect asks for a write to the store.
    fileprivate var isStore: Bool { if case .store = self { true } else { false } }
}
