// SPDX-License-Identifier: Apache-2.0

/// A request to the bus that is sent once for all tasks that need its answer.
///
/// Cancelling a task ends only that task's wait: the request continues for the others.
@DBusActor
final class SharedRequest {
    private var answer: Result<Void, DBusError>?
    private var waiting: [Gate<Void>] = []

    /// Whether the request was refused or got no answer.
    var hasFailed: Bool { if case .failure = answer { true } else { false } }

    /// Passes the answer to all tasks that wait now or later.
    func finish(_ result: Result<Void, DBusError>) {
        answer = result
        let gates = waiting
        waiting = []
        for gate in gates { gate.open(result) }
    }

    /// Waits for the answer to the request.
    ///
    /// - Throws: the error of the request; `NoReply` when the waiting task is cancelled.
    func wait() async throws(DBusError) {
        if let answer { return try answer.get() }
        let gate = Gate<Void>()
        waiting.append(gate)
        let result = await withTaskCancellationHandler {
            await gate.result()
        } onCancel: {
            gate.open(.failure(.noReply("the call was cancelled")))
        }
        try result.get()
    }
}
