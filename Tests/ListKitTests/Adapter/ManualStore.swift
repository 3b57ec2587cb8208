// SPDX-License-Identifier: Apache-2.0

@testable @_spi(Daemon) import ListKit

// A store that the test operates: a flush stops at its write, as in the daemon, until the test says how the write ended.

/// The next action of a flush.
enum FlushStep {
    /// The flush has ended.
    case finished(FlushResult)
    /// Pass the output of the diff to `finishDiff`.
    case diff(DiffJob)
    /// Write `changeToStore`, then call `commitFlush`, or `abortFlush` if that failed.
    case commit
}

extension ListAdapter {
    /// The change that is to be written; `nil` unless a flush waits for that.
    var changeToStore: Change? { objects.phase == .storing ? objects.change : nil }

    /// Begins a flush.
    func beginFlush(now: UInt64) -> FlushStep { step(after: startFlush(now: now)) }

    /// Continues with the output of a diff.
    func finishDiff(_ output: DiffJob.Output) -> FlushStep { step(after: continueFlush(with: output)) }

    /// Continues after a successful write.
    func commitFlush() -> FlushResult { end(.success(())) }

    /// Continues after a write that failed: every request of the flush gets the error.
    func abortFlush(_ error: ListError) -> FlushResult { end(.failure(error)) }

    private func end(_ outcome: Result<Void, ListError>) -> FlushResult {
        guard objects.phase == .storing, case .announce(let said) = driver.stored(outcome, now: 0) else {
            return FlushResult()
        }
        return finish(said)
    }

    private func step(after step: OwnerStep) -> FlushStep {
        switch step {
        case .wait, .reserve: .finished(FlushResult())
        case .diff(let job): .diff(job)
        case .store: .commit
        case .announce(let said): .finished(finish(said))
        }
    }
}
