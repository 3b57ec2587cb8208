// SPDX-License-Identifier: Apache-2.0

/// A scanner that finds the boundaries of messages in received bytes (D-Bus specification, "Message Format"), and the
/// length of each message.
///
/// Inside of a message, bytes can be skipped without inspection. Elsewhere, skipping makes the boundaries unknown
/// until `recordAllDispatched` reports that all messages are complete.
struct MessageBoundaries {
    /// The number of bytes at the beginning of a message that determine its length.
    private static let startSize = 16

    /// The first bytes of the incomplete message.
    private var start: [UInt8] = []
    /// The number of missing bytes of the incomplete message; nil if unknown.
    private var left: Int?
    /// The number of complete messages.
    private(set) var completed: UInt64 = 0
    /// The number of received bytes of the incomplete message; of several messages while the boundaries are unknown.
    private(set) var received = 0
    /// Whether the boundaries of messages are unknown.
    private(set) var isUnknown = false
    private var staysUnknown = false

    /// The length of the incomplete message; nil if there is none, too little of it has arrived, or the boundaries
    /// are unknown.
    var length: Int? { left.map { received + $0 } }

    /// Returns whether the next `count` bytes are inside of the incomplete message.
    func canSkip(_ count: Int) -> Bool { left.map { count <= $0 } ?? false }

    /// Scans the next bytes.
    mutating func consume(_ bytes: ArraySlice<UInt8>) {
        guard !isUnknown else { return skip(bytes.count) }
        var bytes = bytes
        while !bytes.isEmpty {
            if let left {
                let taken = min(left, bytes.count)
                advance(by: taken)
                bytes = bytes.dropFirst(taken)
            } else {
                let taken = min(Self.startSize - start.count, bytes.count)
                start += bytes.prefix(taken)
                received += taken
                bytes = bytes.dropFirst(taken)
                guard start.count == Self.startSize else { return }
                parseStart()
            }
        }
    }

    /// Skips bytes that were not inspected.
    mutating func skip(_ count: Int) {
        let inside = min(count, left ?? 0)
        if inside > 0 { advance(by: inside) }
        guard count > inside else { return }
        received += count - inside
        (start, left, isUnknown) = ([], nil, true)
    }

    /// Makes the boundaries unknown from now on. Call this when received bytes may belong to the handshake or to
    /// messages, so that counting cannot find the boundaries any more.
    mutating func markUnknown() {
        skip(0)
        (isUnknown, staysUnknown) = (true, true)
    }

    /// Records the dispatch of a message of `size` bytes while the boundaries are unknown. The other received bytes
    /// belong to later messages.
    mutating func removeDispatched(size: Int) {
        guard isUnknown else { return }
        received = max(0, received - size)
        completed += 1
    }

    /// Records that all complete messages were dispatched. If no bytes of another message have arrived, the
    /// boundaries are known again.
    mutating func recordAllDispatched() {
        if received == 0 { isUnknown = staysUnknown }
    }

    private mutating func parseStart() {
        let isLittle = start[0] == UInt8(ascii: "l")
        func number(at offset: Int) -> Int {
            let bytes = start[offset..<offset + 4]
            return (isLittle ? bytes.reversed() : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
        }
        // The header fields are padded to 8. The numbers have 32 bits, so their sum fits into an Int.
        let size = Self.startSize + (number(at: 12) + 7) & -8 + number(at: 4)
        left = size - Self.startSize
        start = []
        advance(by: 0)
    }

    private mutating func advance(by count: Int) {
        received += count
        left = left.map { $0 - count }
        guard left == 0 else { return }
        (left, received) = (nil, 0)
        completed += 1
    }
}
