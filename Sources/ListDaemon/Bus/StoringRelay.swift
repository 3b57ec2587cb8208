internal import DBus

/// The way of a list's transactions to the store: straight from the host's executor, and back by the bus thread, which is
/// woken once for all that one commit of the store has written, and goes on itself where that takes microseconds.
///
/// Whom an answer is for is looked up on the bus thread, where hosts are made: a host may have something stored as soon as
/// it is there, before whoever made it could lead the answers to it.
@DBusActor
final class StoringRelay {
    private nonisolated let list: StoredList
    private weak var host: (any ListHost)?

    nonisolated init(_ list: StoredList) {
        self.list = list
    }

    /// Leads the answers of the store to a host from now on: to the first one, and to the next one when the one before has
    /// ended and waits for nothing. Call it in the same turn of the bus thread in which the host is made.
    func lead(to host: any ListHost) { self.host = host }

    /// Takes what a host yields; what is not to be stored goes on to another sink.
    nonisolated func sink(_ other: @escaping AdapterHost.Sink) -> AdapterHost.Sink {
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

    private nonisolated func store(_ update: PreparedUpdate, _ token: StoringToken) {
        list.write(update) { error in
            EventLoop.shared.post { self.host?.collect(.stored(token, error)) }
        }
    }
}
