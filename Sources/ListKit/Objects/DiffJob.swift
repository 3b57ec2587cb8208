// SPDX-License-Identifier: Apache-2.0

/// A diff that is ready to be computed, on any thread.
///
/// It holds both lists, so later changes do not affect it. Its output goes to ``ListAdapter/finishDiff(_:)``, or
/// ``ListAdapter/cancelFlush()`` cancels it.
@frozen public struct DiffJob: Sendable {
    let old: [ListObject]
    let new: [ListObject]
    let moves: ListDiffMoves
    let generation: UInt64

    /// How many objects there are to compare, old and new together.
    public var objectCount: Int { old.count + new.count }

    /// Computes the diff.
    ///
    /// - Complexity: O(objects).
    public func run() -> Output {
        Output(result: ListDiff.between(old, new, option: .equality, moves: moves), generation: generation)
    }

    /// The result of a job.
    public struct Output: Sendable {
        let result: ListIndexSetResult
        let generation: UInt64
    }
}
