// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The reloads of a configuration: one begins when the one before it has ended.
@DBusActor
final class ReloadTurns {
    /// How long a reload has to come to the end of its present step: little of what the unit gives (`TimeoutStopSec=`).
    private static let limit = Duration.seconds(2)

    private var last: Task<Void, any Error>?

    nonisolated init() {}

    /// Runs a reload behind those before it.
    func perform(_ reload: @escaping @DBusActor () async throws -> Void) async throws {
        let earlier = last
        let task = Task { @DBusActor in
            _ = await earlier?.result
            try await reload()
        }
        last = task
        try await task.value
    }

    /// Waits for the reload that is under way, but not for one whose present step takes long.
    ///
    /// - Parameter giveUp: called first, if there is one: ends what it waits for.
    func end(_ giveUp: @escaping @Sendable () async -> Void) async {
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
