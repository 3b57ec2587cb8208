// SPDX-License-Identifier: Apache-2.0

/// The input of a diff, which can be computed on any thread.
///
/// The job has a copy of both lists, so that later changes do not affect it. ``ListAdapter/cancelFlush()`` cancels the
/// flush that waits for it.
@frozen public struct DiffJob: Sendable {
    let old: [ListObject]
    let new: [ListObject]
    let comparison: ListComparison
    let generation: UInt64

    /// The number of objects to compare, old and new together.
    public var objectCount: Int { old.count + new.count }

    /// Computes the diff.
    ///
    /// - Complexity: O(objects).
    public func run() -> Output {
        let result = ListDiff.between(old, new, option: comparison.contents, moves: comparison.moves)
        return Output(result: result, change: Change(result, from: old, to: new), generation: generation)
    }

    /// The output of a job.
    public struct Output: Sendable {
        let result: ListIndexSetResult
        let change: Change
        let generation: UInt64
    }
}
