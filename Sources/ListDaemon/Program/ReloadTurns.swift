// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// A queue of reloads: each begins when the previous one has ended.
@DBusActor
final class ReloadTurns {
    /// The time that a stop leaves a reload to finish its present step: a small part of the unit's `TimeoutStopSec=`.
    private static let limit = Duration.seconds(2)

    private var last: Task<Void, any Error>?

    nonisolated init() {}

    /// Runs a reload after all earlier ones.
    func perform(_ reload: @escaping @DBusActor () async throws -> Void) async throws {
        let earlier = last
        let task = Task { @DBusActor in
            _ = await earlier?.result
            try await reload()
        }
        last = task
        try await task.value
    }

    /// Waits until the reload in progress ends, or until the time limit.
    ///
    /// - Parameter giveUp: cancels the operations that a reload may wait for; called first if there is a reload.
    func awaitEnd(_ giveUp: @escaping @Sendable () async -> Void) async {
        guard let last else { return }
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let timer = EventLoop.shared.addTimer(after: Self.limit) { continuation.finish() }
        Task { await giveUp() }
        Task {
            _ = await last.result
            continuation.finish()
        }
        for await _ in ends {}
        timer.cancel()
    }
}
