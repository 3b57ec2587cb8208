// SPDX-License-Identifier: Apache-2.0

/// What happened to a list since the pictures that a viewer was sent and may still go by.
///
/// A viewer names items by their places in a picture. Each picture stands for the list as it was when the picture was
/// sent; the changes up to the next picture are joined, so that memory does not grow while a viewer takes no pictures.
@_spi(Daemon) public struct PictureHistory: Sendable, Hashable {
    /// The changes of more than this many entries are not followed: a viewer's items are then meant as they are.
    static let maximumSize = 131_072

    /// The list as some pictures show it, and what happened to it before the next ones.
    public struct Span: Sendable, Hashable {
        /// The first of the pictures.
        public var sequence: UInt64
        /// What happened, in order, each at least twice as large as the one after.
        public private(set) var changes: [PathForwarding] = []
        /// How many entries each has.
        private var sizes: [Int] = []

        /// Makes a span.
        public init(sequence: UInt64, changes: [PathForwarding] = []) {
            self.sequence = sequence
            self.changes = changes
            sizes = changes.map(\.size)
        }

        fileprivate var size: Int { sizes.reduce(0, +) }

        /// Takes a change in, together with those before that are not much larger.
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

        /// All changes as one, which stays; `nil` without any.
        fileprivate mutating func join() -> PathForwarding? {
            guard let first = changes.first else { return nil }
            guard changes.count > 1 else { return first }
            let joined = changes.dropFirst().reduce(first) { $0.followed(by: $1) }
            (changes, sizes) = ([joined], [joined.size])
            return joined
        }

        fileprivate mutating func forget() { (changes, sizes) = ([], []) }
    }

    /// The pictures, ascending; none before the first one was sent.
    public private(set) var spans: [Span] = []
    /// How many entries all changes have.
    private var size = 0

    /// Makes the history of a viewer that was not sent anything.
    public init() {}

    /// Goes on with the history of another engine.
    public init(spans: [Span]) {
        self.spans = spans
        size = spans.reduce(0) { $0 + $1.size }
        shrink()
    }

    /// A picture of the list as it is now was sent.
    public mutating func record(sequence: UInt64) {
        if let last = spans.last, last.changes.isEmpty { return }
        spans.append(Span(sequence: sequence))
    }

    /// A picture replaces all others.
    public mutating func restart(sequence: UInt64) {
        spans = [Span(sequence: sequence)]
        size = 0
    }

    /// The list has changed.
    ///
    /// - Complexity: O(size of the change · log), taken over all changes.
    public mutating func record(_ change: PathForwarding) {
        guard !spans.isEmpty, !change.isIdentity else { return }
        let last = spans.count - 1
        size -= spans[last].size
        spans[last].append(change)
        size += spans[last].size
        shrink()
    }

    /// Too much is not remembered.
    private mutating func shrink() {
        while size > Self.maximumSize, let place = spans.firstIndex(where: { !$0.changes.isEmpty }) {
            size -= spans[place].size
            spans[place].forget()
        }
    }

    /// Forgets the pictures before the one that the viewer has surely drawn.
    public mutating func forget(upTo acknowledged: UInt64) {
        let gone = spans.dropFirst().prefix { $0.sequence <= acknowledged }.count
        for span in spans.prefix(gone) { size -= span.size }
        spans.removeFirst(gone)
    }

    /// Keeps only the last `count` pictures. A viewer that never acknowledges is assumed to have drawn the older ones.
    mutating func forget(allBut count: UInt64, before sequence: UInt64) {
        if sequence > count { forget(upTo: sequence - count) }
    }

    /// What happened since a picture, in order; since the oldest that is remembered for one before it, and since the newest for
    /// 0 and for one that was not sent.
    func changes(since seen: UInt64, lastSent: UInt64) -> [PathForwarding] {
        spans.dropFirst(place(of: seen, lastSent)).flatMap(\.changes)
    }

    /// The same as one change; `nil` when nothing happened.
    ///
    /// - Complexity: O(size of the changes · log) for those that no earlier call has joined.
    mutating func change(since seen: UInt64, lastSent: UInt64) -> PathForwarding? {
        var change: PathForwarding?
        for index in spans.indices.dropFirst(place(of: seen, lastSent)) {
            size -= spans[index].size
            if let next = spans[index].join() { change = change?.followed(by: next) ?? next }
            size += spans[index].size
        }
        return change
    }

    private func place(of seen: UInt64, _ lastSent: UInt64) -> Int {
        let seen = seen == 0 ? lastSent : min(seen, lastSent)
        return max(0, spans.partitionPoint { $0.sequence <= seen } - 1)
    }
}
