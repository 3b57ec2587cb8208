// SPDX-License-Identifier: Apache-2.0

/// What has to keep its place on the screen while a transaction is applied.
struct ViewAnchor {
    /// Candidates in order of preference, each with its start along the scroll axis before.
    let candidates: [(key: ElementKey, start: Double)]
    /// Behind the last candidate, as it was before: from there on the next survivor is looked for.
    let next: IndexPath
    /// The layout before, to find where that survivor was.
    let layout: ListLayout
}
