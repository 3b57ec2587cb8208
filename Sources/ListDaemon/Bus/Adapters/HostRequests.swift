// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// The requests to the host of one list, and the completions that wait for its answers.
@DBusActor
final class HostRequests {
    private let host: ListHost
    private var requests = RequestTable()
    private var callsUnderWay = CallsUnderWay()

    init(_ host: ListHost) { self.host = host }

    /// Sends a command that the host answers, and passes the answer to `completion`.
    ///
    /// - Parameters:
    ///   - user: the user on whose behalf the command is sent; nil = listd itself.
    ///   - isLong: whether the command may take long, so that a job must handle it.
    func request(
        by user: UInt32?, isLong: Bool, _ completion: @escaping RequestTable.Completion,
        _ command: (RequestID) -> AdapterCommand
    ) {
        host.send(command(requests.add(completion)), by: user, isLong: isLong)
    }

    /// Records a call of a peer that may change properties; the peer's later property reads wait until the call is
    /// answered.
    ///
    /// - Returns: a completion that calls the given one, and then ends the call.
    func trackCall(of peer: Peer, _ completion: @escaping RequestTable.Completion) -> RequestTable.Completion {
        let number = callsUnderWay.beginCall(of: peer)
        return { [self] outcome in
            completion(outcome)
            for body in callsUnderWay.endCall(number, of: peer) { body() }
        }
    }

    /// Runs `read` as soon as the calls that the peer has made so far have taken effect on the properties.
    func runAfterCalls(of peer: Peer, _ read: @escaping @DBusActor () -> Void) {
        if !callsUnderWay.hold(read, for: peer) { read() }
    }

    /// Runs the completion of a request; unknown requests are ignored.
    func completeRequest(_ id: RequestID, with outcome: Result<AdapterAnswer, ListError>) {
        requests.remove(id)?(outcome)
    }

    /// Calls `answer` after all earlier work of the list.
    func ping(_ answer: @escaping @Sendable () -> Void) { host.ping(answer) }

    /// Sends a command that has no answer.
    ///
    /// - Parameter user: the user on whose behalf the command is sent; nil = listd itself.
    func send(_ command: AdapterCommand, by user: UInt32?) { host.send(command, by: user) }

    /// Turns on or off the reporting of changes of the objects.
    func setReportsChanges(_ flag: Bool) { host.setReportsChanges(flag) }
}
