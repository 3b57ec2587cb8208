// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// What the host of one list was asked, and who waits for its answers.
@DBusActor
final class HostRequests {
    private let host: any ListHosting
    private var requests = RequestTable()
    private var callsUnderWay = CallsUnderWay()

    init(_ host: any ListHosting) { self.host = host }

    /// Sends a command that is answered, and what to do with the answer.
    ///
    /// - Parameters:
    ///   - user: on whose behalf; nil = listd's own.
    ///   - isLong: whether it may take long, so that the list's own threads must do it.
    func request(
        by user: UInt32?, isLong: Bool, _ completion: @escaping RequestTable.Completion,
        _ command: (RequestID) -> AdapterCommand
    ) {
        let command = command(requests.add(completion))
        if isLong { send(command, by: user) } else { host.enqueueOnLoop(command, by: user) }
    }

    /// Records a call of a peer that may change what properties say; the peer's reads of them wait for its end.
    ///
    /// - Returns: a completion that ends the call, after another one.
    func begin(of peer: Peer, _ completion: @escaping RequestTable.Completion) -> RequestTable.Completion {
        let number = callsUnderWay.begin(of: peer)
        return { [self] outcome in
            completion(outcome)
            for body in callsUnderWay.end(number, of: peer) { body() }
        }
    }

    /// Runs `read` as soon as the peer's calls until now have changed the properties.
    func settle(for peer: Peer, _ read: @escaping @DBusActor () -> Void) {
        if !callsUnderWay.hold(read, for: peer) { read() }
    }

    /// Runs the completion of a request; unknown requests are ignored.
    func answered(_ id: RequestID, _ outcome: Result<AdapterAnswer, ListError>) { requests.remove(id)?(outcome) }

    /// Calls `answer` from the executor of the list when it has nothing older to do.
    func ping(_ answer: @escaping @Sendable () -> Void) { host.ping(answer) }

    /// Sends a command that is not answered.
    ///
    /// - Parameter user: on whose behalf; nil = listd's own.
    func send(_ command: AdapterCommand, by user: UInt32?) { host.send(command, by: user) }

    /// Sets who is told about changes of the objects, on the host's executor; nil = nobody.
    func follow(_ observer: ContentObserver?) { host.follow(observer) }
}
