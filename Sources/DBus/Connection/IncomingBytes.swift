// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// An observer of the bytes that libdbus reads from a socket. It finds the end of the handshake and the boundaries of
/// messages.
@DBusActor
struct IncomingBytes {
    /// What libdbus has read between two calls of `didRead`.
    enum ReadProgress {
        case nothing
        /// Bytes that, as far as known, are all part of the handshake.
        case handshake
        case messages
    }

    private var reads: ReadCounter
    /// The scanner for the end of the handshake; nil when the first message has begun.
    private var handshake: HandshakeScanner? = HandshakeScanner()
    /// The bytes in the socket that libdbus has not read yet.
    private var peeked: ArraySlice<UInt8> = []
    private(set) var boundaries = MessageBoundaries()

    init(socket: Int32) { reads = ReadCounter(socket: socket) }

    /// Called before libdbus may read from the socket.
    mutating func willRead() {
        peeked = boundaries.canSkip(ReadCounter.mostRead) && handshake == nil ? [] : reads.peek()[...]
    }

    /// Called after libdbus may have read from the socket.
    ///
    /// - Parameter isAuthenticated: whether libdbus has read the end of the handshake.
    mutating func didRead(isAuthenticated: Bool) -> ReadProgress {
        let count = reads.popByteCount()
        guard count > 0 else { return .nothing }
        var seen = peeked.prefix(count)
        let unseen = count - seen.count
        peeked = []
        if handshake != nil {
            if let behind = handshake?.consume(seen) {
                seen = seen.suffix(behind)
                handshake = nil
            } else if isAuthenticated {
                // The end of the handshake arrived between peeking and reading.
                handshake = nil
                boundaries.markUnknown()
                return .handshake
            } else {
                return .handshake
            }
        }
        boundaries.consume(seen)
        boundaries.skip(unseen)
        return .messages
    }

    /// Records the dispatch of a message of `size` bytes while the boundaries are unknown.
    mutating func removeDispatched(size: Int) { boundaries.removeDispatched(size: size) }

    /// Records that all complete messages were dispatched.
    mutating func recordAllDispatched() { boundaries.recordAllDispatched() }
}

/// A counter of the bytes that libdbus reads from a Unix socket.
///
/// Each read lowers the socket's peek offset by the number of bytes read (socket(7), `SO_PEEK_OFF`). The offset is
/// set higher than any data in the socket, so its decrease counts the bytes.
@DBusActor
private struct ReadCounter {
    private static let highest: Int32 = 1 << 30
    /// An upper bound of the bytes that libdbus reads between two calls of `popByteCount`, also before authentication.
    static let mostRead = 1 << 14

    private let socket: Int32
    private var offset = highest

    init(socket: Int32) {
        self.socket = socket
        listd_set_peek_offset(socket, Self.highest)
    }

    /// Returns the number of bytes read since the last call; 0 where the kernel does not support this.
    mutating func popByteCount() -> Int {
        let now = listd_get_peek_offset(socket)
        guard now >= 0, now < offset else { return 0 }
        let count = Int(offset - now)
        offset = now
        if now < Self.highest / 2 { raiseOffset() }
        return count
    }

    /// Returns the bytes in the socket without reading them, at most `mostRead`.
    mutating func peek() -> [UInt8] {
        listd_set_peek_offset(socket, 0)
        defer { raiseOffset() }
        return unsafe [UInt8](unsafeUninitializedCapacity: Self.mostRead) { buffer, count in
            let flags = Int32(MSG_PEEK | MSG_DONTWAIT)
            count = unsafe max(0, recv(socket, buffer.baseAddress, buffer.count, flags))
        }
    }

    private mutating func raiseOffset() {
        offset = Self.highest
        listd_set_peek_offset(socket, offset)
    }
}

/// A scanner that finds the end of the authentication lines, after which messages begin.
///
/// The last line is `BEGIN` (D-Bus specification, "Authentication Protocol"). It may arrive in pieces, or together
/// with the first messages.
struct HandshakeScanner {
    private static let last = Array("BEGIN".utf8)

    /// The beginning of the current line, long enough to recognise `BEGIN` and the character after it.
    private var line: [UInt8] = []
    private var previous: UInt8 = 0
    /// Whether no byte was scanned yet. The first byte of a connection is not part of a line.
    private var isFirst = true

    /// Scans the next bytes.
    ///
    /// - Returns: the number of bytes after the last line; nil while the last line is incomplete.
    mutating func consume(_ bytes: some Collection<UInt8>) -> Int? {
        var left = bytes.count
        for byte in bytes {
            left -= 1
            if isFirst {
                isFirst = false
            } else if byte == UInt8(ascii: "\n"), previous == UInt8(ascii: "\r") {
                if isLast { return left }
                line = []
            } else if line.count <= Self.last.count {
                line.append(byte)
            }
            previous = byte
        }
        return nil
    }

    /// Whether the current line is `BEGIN`, possibly followed by arguments or the carriage return.
    private var isLast: Bool {
        line.starts(with: Self.last)
            && (line.count == Self.last.count || line.last == UInt8(ascii: " ") || line.last == UInt8(ascii: "\r"))
    }
}

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
