// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ListWorkers

/// A clock for lists that also runs closures later.
struct HostClock: Sendable {
    /// Returns milliseconds that never go backwards.
    let now: @Sendable () -> UInt64
    /// Runs a closure on an executor after a delay in milliseconds.
    let run: @Sendable (_ executor: HostExecutor, _ delay: UInt64, _ body: @escaping @Sendable () -> Void) -> Void

    /// The clock of the machine.
    static let system = HostClock(
        now: { DispatchTime.now().uptimeNanoseconds / 1_000_000 }, run: { $0.post(after: $1, $2) })
}
