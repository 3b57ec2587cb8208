// SPDX-License-Identifier: Apache-2.0

/// Finds the boundaries of messages in received bytes (D-Bus specification, Message Format), and the length of each.
///
/// Bytes that were not inspected may be skipped inside a message. Elsewhere they make the boundaries unknown, until
/// `settle` is called because all messages are complete.
struct MessageBoundaries {
    /// The number of bytes at the beginning that determine a message's length.
    private static let startSize = 16

    /// The first bytes of the message that has begun.
    private var start: [UInt8] = []
    /// How many bytes of the message that has begun are still missing; nil = unknown.
    private var left: Int?
    /// The number of complete messages.
    private(set) var completed: UInt64 = 0
    /// The number of received bytes of the message that has begun, or of several while the boundaries are unknown.
    private(set) var received = 0
    /// Whether the boundaries of messages are unknown.
    private(set) var isUnknown = false
    private var isGivenUp = false

    /// The length of the incomplete message; nil = there is none, or too little of it has arrived, or the boundaries
    /// are unknown.
    var length: Int? { left.map { received + $0 } }

    /// Whether so many bytes may arrive before the next message begins.
    func mayBeSkipped(_ count: Int) -> Bool { left.map { count <= $0 } ?? false }

    /// Consumes the next bytes.
    mutating func consume(_ bytes: ArraySlice<UInt8>) {
        guard !isUnknown else { return skip(bytes.count) }
        var bytes = bytes
        while !bytes.isEmpty {
            if let left {
                let taken = min(left, bytes.count)
                pass(taken)
                bytes = bytes.dropFirst(taken)
            } else {
                let taken = min(Self.startSize - start.count, bytes.count)
                start += bytes.prefix(taken)
                received += taken
                bytes = bytes.dropFirst(taken)
                guard start.count == Self.startSize else { return }
                begin()
            }
        }
    }

    /// Skips so many bytes that were not inspected.
    mutating func skip(_ count: Int) {
        let inside = min(count, left ?? 0)
        if inside > 0 { pass(inside) }
        guard count > inside else { return }
        received += count - inside
        (start, left, isUnknown) = ([], nil, true)
    }

    /// Sets the boundaries as unknown, with an unknown number of message bytes among those that have arrived.
    mutating func giveUp() {
        skip(0)
        (isUnknown, isGivenUp) = (true, true)
    }

    /// A message that was counted as incomplete has been dispatched; its size tells how many of the received bytes
    /// belong to later ones.
    mutating func removeUnknown(size: Int) {
        guard isUnknown else { return }
        received = max(0, received - size)
        completed += 1
    }

    /// All complete messages were dispatched: if no byte of another one has arrived, the boundaries are known.
    mutating func settle() {
        if received == 0 { isUnknown = isGivenUp }
    }

    private mutating func begin() {
        let isLittle = start[0] == UInt8(ascii: "l")
        func number(at offset: Int) -> Int {
            let bytes = start[offset..<offset + 4]
            return (isLittle ? bytes.reversed() : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
        }
        // The fields of the header are padded; the numbers are 32 bits wide, so that their sum is an Int.
        let size = Self.startSize + (number(at: 12) + 7) & -8 + number(at: 4)
        left = size - Self.startSize
        start = []
        pass(0)
    }

    private mutating func pass(_ count: Int) {
        received += count
        left = left.map { $0 - count }
        guard left == 0 else { return }
        (left, received) = (nil, 0)
        completed += 1
    }
}
