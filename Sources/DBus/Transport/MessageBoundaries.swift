// SPDX-License-Identifier: Apache-2.0

/// Follows where messages begin in the bytes that come (D-Bus specification, Message Format), and how long each is.
///
/// Bytes that nobody has looked at may be skipped inside of a message. Elsewhere they make the boundaries unknown, until those
/// who take the messages say that all of them are complete.
struct MessageBoundaries {
    /// So many bytes at the beginning tell how long a message is.
    private static let startSize = 16

    /// The first bytes of the message that has begun.
    private var start: [UInt8] = []
    /// How many bytes of the message that has begun are still to come; nil = nobody knows.
    private var left: Int?
    /// How many messages are complete.
    private(set) var completed: UInt64 = 0
    /// How many bytes have come of the message that has begun, or of several while the boundaries are unknown.
    private(set) var received = 0
    /// Whether it is not known where messages begin.
    private(set) var isUnknown = false
    private var isGivenUp = false

    /// How many bytes the message has that has begun and is not complete; nil = there is none, or too little has come of it, or
    /// the boundaries are unknown.
    var length: Int? { left.map { received + $0 } }

    /// Whether so many bytes may come before the next message begins.
    func mayBeSkipped(_ count: Int) -> Bool { left.map { count <= $0 } ?? false }

    /// Takes the next bytes in.
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

    /// Takes in so many bytes that nobody has looked at.
    mutating func skip(_ count: Int) {
        let inside = min(count, left ?? 0)
        if inside > 0 { pass(inside) }
        guard count > inside else { return }
        received += count - inside
        (start, left, isUnknown) = ([], nil, true)
    }

    /// It is not known, and never will be, how many of the bytes that have come belong to messages.
    mutating func giveUp() {
        skip(0)
        (isUnknown, isGivenUp) = (true, true)
    }

    /// A message that was counted as not complete has been taken out; its size tells how much of what came was not it.
    mutating func removeUnknown(size: Int) {
        guard isUnknown else { return }
        received = max(0, received - size)
        completed += 1
    }

    /// All messages that are complete were taken out: if nothing has come of another one, the boundaries are known.
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
