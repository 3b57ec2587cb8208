internal import DBus
internal import Synchronization

/// The way of a list's transactions to the store: straight from the host's executor, and back by the bus thread, which is
/// woken once for all that one commit of the store has written, and goes on itself where that takes microseconds.
final class StoringRelay: Sendable {
    private struct Target {
        weak var host: (any ListHost)?
    }

    private let list: StoredList
    private let target = Mutex(Target())

    init(_ list: StoredList) {
        self.list = list
    }

    /// Has what the store answers told to a host from now on: to the first one before it is told to change, to the next one
    /// when the one before has ended and waits for nothing.
    func lead(to host: any ListHost) { target.withLock { $0.host = host } }

    /// Takes what a host yields; what is not to be stored goes on to another sink.
    func sink(_ other: @escaping AdapterHost.Sink) -> AdapterHost.Sink {
        { effects in
            var others = effects
            others.removeAll { effect in
                guard case .prepared(let token, let update) = effect else { return false }
                self.store(update, token)
                return true
            }
            if !others.isEmpty { other(others) }
        }
    }

    private func store(_ update: PreparedUpdate, _ token: StoringToken) {
        list.write(update) { [self] error in
            // Looked up on the bus thread, which makes a host and leads here in one go: a host that writes as soon as it is
            // made would miss an answer that comes before this knows it.
            EventLoop.shared.post { [self] in
                target.withLock { $0.host }?.collect(.stored(token, error))
            }
        }
    }
}
