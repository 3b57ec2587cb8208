// SPDX-License-Identifier: Apache-2.0

/// Splits the elements of a signal into pieces that fit into a message, in the order in which they are appended.
@_spi(Daemon) public struct SignalPieces<Change> {
    private let maximumBytes: Int
    private let follow: (Change) -> Change
    private var finished: [Change] = []
    private var current: Change
    private var byteCount = 0

    /// Makes pieces, the first of which has no elements yet.
    ///
    /// - Parameter follow: makes the next piece, without elements, from the previous piece.
    public init(
        _ first: Change, maximumBytes: Int = SignalLimits.bytes, following follow: @escaping (Change) -> Change
    ) {
        self.maximumBytes = maximumBytes
        self.follow = follow
        current = first
    }

    /// Appends elements to one of the pieces' arrays. An element that is larger than a piece gets a piece of its own.
    ///
    /// - Parameter size: returns the approximate number of bytes that an element takes in the message.
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
            // The array is shared with the caller, which saves a copy.
            current[keyPath: list] = elements
        } else {
            current[keyPath: list] += elements[start...]
        }
    }

    /// All pieces, at least one.
    public var all: [Change] { finished + [current] }
}

/// The limits for the size of signals.
@_spi(Daemon) public enum SignalLimits {
    /// The approximate maximum number of bytes of all elements of one signal.
    public static let bytes = 1 << 18
}
