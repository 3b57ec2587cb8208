// SPDX-License-Identifier: Apache-2.0

/// A request to the bus that is made once for all tasks that need its answer.
///
/// A cancelled task stops waiting without affecting the others: the request goes on.
@DBusActor
final class SharedRequest {
    private var answer: Result<Void, DBusError>?
    private var waiting: [Gate<Void>] = []

    /// Whether it was refused, or never answered.
    var hasFailed: Bool { if case .failure = answer { true } else { false } }

    /// Gives the answer to all present and later tasks.
    func finish(_ result: Result<Void, DBusError>) {
        answer = result
        let gates = waiting
        waiting = []
        for gate in gates { gate.open(result) }
    }

    /// Waits for the answer.
    ///
    /// - Throws: the request's error; `NoReply` when the waiting task is cancelled.
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
