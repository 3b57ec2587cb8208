// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ListWorkers

/// The time of a list, and what it does later.
struct HostClock: Sendable {
    /// Milliseconds that never go back.
    let now: @Sendable () -> UInt64
    /// Runs something on an executor some milliseconds from now.
    let run: @Sendable (_ executor: HostExecutor, _ delay: UInt64, _ body: @escaping @Sendable () -> Void) -> Void

    /// The machine's.
    static let system = HostClock(
        now: { DispatchTime.now().uptimeNanoseconds / 1_000_000 }, run: { $0.post(after: $1, $2) })
}
