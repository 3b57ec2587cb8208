// SPDX-License-Identifier: Apache-2.0

/// Cuts what a signal says into pieces that a bus carries, in the order in which it was appended.
@_spi(Daemon) public struct SignalPieces<Change> {
    private let maximumBytes: Int
    private let follow: (Change) -> Change
    private var finished: [Change] = []
    private var current: Change
    private var byteCount = 0

    /// Begins with a piece that has no elements yet.
    ///
    /// - Parameter follow: makes the next piece, without elements, from the one before it.
    public init(
        _ first: Change, maximumBytes: Int = SignalLimits.bytes, following follow: @escaping (Change) -> Change
    ) {
        self.maximumBytes = maximumBytes
        self.follow = follow
        current = first
    }

    /// Appends elements to a list of the pieces; an element that is larger than a piece gets its own.
    ///
    /// - Parameter size: about how many bytes of the message an element has.
    /// - Complexity: O(elements)
    public mutating func append<Element>(
        _ elements: [Element], to list: WritableKeyPath<Change, [Element]>, size: (Element) -> Int
    ) {
        var start = 0
        for index in elements.indices {
            let bytes = size(elements[index])
            if byteCount > 0, byteCount + bytes > maximumBytes {
                current[keyPath: list] += elements[start..<index]
                finished.append(current)
                (current, byteCount, start) = (follow(current), 0, index)
            }
            byteCount += bytes
        }
        if start == 0, current[keyPath: list].isEmpty {
            current[keyPath: list] = elements  // not copied
        } else {
            current[keyPath: list] += elements[start...]
        }
    }

    /// All pieces, at least one.
    public var all: [Change] { finished + [current] }
}

/// How large a signal may be.
@_spi(Daemon) public enum SignalLimits {
    /// About the most bytes of the elements of one signal.
    public static let bytes = 1 << 18
}
