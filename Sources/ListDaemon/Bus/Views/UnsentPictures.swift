// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// The picture changes of one view that are not sent yet, in order: large ones that wait for their turn, and those
/// behind them.
///
/// When the list's next revision is announced before they are sent, they become one picture of that revision, so that
/// no picture comes after `Updated` of a later revision. The number of changes stays, so that sequences have no gaps:
/// changes without content fill up.
struct UnsentPictures {
    /// The changes, in order.
    private(set) var changes: [PictureChange] = []
    /// A number that grows when the content of changes that are known already changes.
    private(set) var stamp: UInt64 = 0
    /// Whether a revision was announced since the first of the changes was composed.
    private var isBehind = false

    /// The approximate bytes of all changes in messages.
    var size: Int { changes.reduce(0) { $0 + $1.sizeOnBus } }

    /// Appends a change; it is merged into the others if they were composed for an earlier revision.
    mutating func append(_ change: PictureChange) {
        changes.append(change)
        if isBehind { merge(to: change.revision) }
    }

    /// Records that a revision was announced, of which the changes become the picture.
    mutating func advance(to revision: UInt64) {
        guard !changes.isEmpty else { return }
        isBehind = true
        merge(to: revision)
    }

    /// Removes all changes. Returns how far the viewport moved in them; nil if there were none.
    mutating func withdraw() -> Point? {
        guard !changes.isEmpty else { return nil }
        let shift = changes.reduce(Point.zero) { $0 + $1.shift }
        changes = []
        isBehind = false
        stamp += 1
        return shift
    }

    /// Removes and returns the first change.
    mutating func popFirst() -> PictureChange? {
        guard !changes.isEmpty else { return nil }
        defer { if changes.isEmpty { isBehind = false } }
        return changes.removeFirst()
    }

    private mutating func merge(to revision: UInt64) {
        guard let first = changes.first else { return }
        stamp += 1
        var whole = changes.dropFirst().reduce(first) { $0.merged(with: $1) }
        whole.revision = revision
        changes = whole.pieces(count: changes.count)
    }
}
