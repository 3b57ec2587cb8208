// SPDX-License-Identifier: Apache-2.0

/// Something that the bus is asked once for all who need it.
///
/// Who is cancelled stops waiting and takes nothing from the others: the request goes on without it.
@DBusActor
final class SharedRequest {
    private var answer: Result<Void, DBusError>?
    private var waiting: [Gate<Void>] = []

    /// Whether it was refused, or never answered.
    var hasFailed: Bool { if case .failure = answer { true } else { false } }

    /// Gives the answer to everybody who waits or will.
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
