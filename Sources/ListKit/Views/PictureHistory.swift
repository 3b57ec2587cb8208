// SPDX-License-Identifier: Apache-2.0

/// The changes of a list since the pictures that a viewer was sent and may still refer to.
///
/// A viewer refers to items by their paths in a picture. Each picture stands for the state of the list when the
/// picture was sent. The changes up to the next picture are combined, so that memory does not grow while a viewer
/// takes no pictures.
@_spi(Daemon) public struct PictureHistory: Sendable, Hashable {
    /// The maximum number of entries in all changes. Above it, the oldest changes are dropped, and the viewer's paths
    /// are not converted by these changes.
    static let maximumSize = 131_072

    /// A group of pictures of the same state of the list, with the changes up to the next group.
    public struct Span: Sendable, Hashable {
        /// The sequence of the first picture in the group.
        public var sequence: UInt64
        /// The changes, in order. Each change has at least twice as many entries as the one after it.
        public private(set) var changes: [PathForwarding] = []
        /// The number of entries in each change.
        private var sizes: [Int] = []

        /// Makes a span.
        public init(sequence: UInt64, changes: [PathForwarding] = []) {
            self.sequence = sequence
            self.changes = changes
            sizes = changes.map(\.size)
        }

        fileprivate var size: Int { sizes.reduce(0, +) }

        /// Appends a change, combined with the changes before it that have less than twice as many entries.
        fileprivate mutating func append(_ change: PathForwarding) {
            var (joined, size) = (change, change.size)
            while let last = sizes.last, last < 2 * size, let earlier = changes.popLast() {
                sizes.removeLast()
                joined = earlier.followed(by: joined)
                size = joined.size
            }
            changes.append(joined)
            sizes.append(size)
        }

        /// Combines all changes into one, keeps only that change and returns it; `nil` if there are no changes.
        fileprivate mutating func combineAll() -> PathForwarding? {
            guard let first = changes.first else { return nil }
            guard changes.count > 1 else { return first }
            let joined = changes.dropFirst().reduce(first) { $0.followed(by: $1) }
            (changes, sizes) = ([joined], [joined.size])
            return joined
        }

        fileprivate mutating func removeChanges() { (changes, sizes) = ([], []) }
    }

    /// The groups of pictures, ascending; empty before the first picture was sent.
    public private(set) var spans: [Span] = []
    /// The number of entries in all changes.
    private var size = 0

    /// Makes the history of a viewer that was sent nothing.
    public init() {}

    /// Continues the history of another engine.
    public init(spans: [Span]) {
        self.spans = spans
        size = spans.reduce(0) { $0 + $1.size }
        shrink()
    }

    /// Records that a picture of the present state of the list was sent.
    public mutating func record(sequence: UInt64) {
        if let last = spans.last, last.changes.isEmpty { return }
        spans.append(Span(sequence: sequence))
    }

    /// Records that a picture replaces all earlier pictures.
    public mutating func restart(sequence: UInt64) {
        spans = [Span(sequence: sequence)]
        size = 0
    }

    /// Records a change of the list.
    ///
    /// - Complexity: O(size of the change · log n), amortized over all changes.
    public mutating func record(_ change: PathForwarding) {
        guard !spans.isEmpty, !change.isIdentity else { return }
        let last = spans.count - 1
        size -= spans[last].size
        spans[last].append(change)
        size += spans[last].size
        shrink()
    }

    /// Drops the oldest changes while there are too many entries.
    private mutating func shrink() {
        while size > Self.maximumSize, let place = spans.firstIndex(where: { !$0.changes.isEmpty }) {
            size -= spans[place].size
            spans[place].removeChanges()
        }
    }

    /// Drops the pictures before the one that the viewer has acknowledged and therefore drawn.
    public mutating func forget(upTo acknowledged: UInt64) {
        let gone = spans.dropFirst().prefix { $0.sequence <= acknowledged }.count
        for span in spans.prefix(gone) { size -= span.size }
        spans.removeFirst(gone)
    }

    /// Keeps only the last `count` pictures. A viewer that never acknowledges is assumed to have drawn the rest.
    mutating func dropAll(exceptNewest count: UInt64, lastSent: UInt64) {
        if lastSent > count { forget(upTo: lastSent - count) }
    }

    /// Returns the changes since a picture, in order.
    ///
    /// For a picture before the oldest recorded one, it returns the changes since the oldest. For 0, and for a
    /// picture that was not sent, it returns the changes since the newest.
    func changes(since seen: UInt64, lastSent: UInt64) -> [PathForwarding] {
        spans.dropFirst(spanIndex(of: seen, lastSent)).flatMap(\.changes)
    }

    /// Returns the changes since a picture as one change, or `nil` if there were none.
    ///
    /// - Complexity: O(size of the changes · log n) for changes that no earlier call has combined.
    mutating func change(since seen: UInt64, lastSent: UInt64) -> PathForwarding? {
        var change: PathForwarding?
        for index in spans.indices.dropFirst(spanIndex(of: seen, lastSent)) {
            size -= spans[index].size
            if let next = spans[index].combineAll() { change = change?.followed(by: next) ?? next }
            size += spans[index].size
        }
        return change
    }

    private func spanIndex(of seen: UInt64, _ lastSent: UInt64) -> Int {
        let seen = seen == 0 ? lastSent : min(seen, lastSent)
        return max(0, spans.partitionPoint { $0.sequence <= seen } - 1)
    }
}
