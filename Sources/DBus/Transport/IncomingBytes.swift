// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The bytes that libdbus reads from a socket, followed from outside: the end of the handshake, and the boundaries of
/// messages.
@DBusActor
struct IncomingBytes {
    /// The bytes read since the last call.
    enum Progress {
        case nothing
        /// As far as is known, no byte of a message.
        case handshake
        case messages
    }

    private var reads: ReadCounter
    /// Searches the beginning of the first message; nil when it is found.
    private var handshake: HandshakeScanner? = HandshakeScanner()
    /// The bytes in the socket before they are read.
    private var peeked: ArraySlice<UInt8> = []
    private(set) var boundaries = MessageBoundaries()

    init(socket: Int32) { reads = ReadCounter(socket: socket) }

    /// libdbus may read the received bytes now.
    mutating func willRead() {
        peeked = boundaries.mayBeSkipped(ReadCounter.mostRead) && handshake == nil ? [] : reads.peek()[...]
    }

    /// libdbus may have read the received bytes.
    ///
    /// - Parameter isAuthenticated: whether libdbus has read the end of the handshake.
    mutating func didRead(isAuthenticated: Bool) -> Progress {
        let count = reads.consume()
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
                boundaries.giveUp()
                return .handshake
            } else {
                return .handshake
            }
        }
        boundaries.consume(seen)
        boundaries.skip(unseen)
        return .messages
    }

    /// A message that was counted as incomplete has been dispatched.
    mutating func removeUnknown(size: Int) { boundaries.removeUnknown(size: size) }

    /// All complete messages were dispatched.
    mutating func settle() { boundaries.settle() }
}

/// Counts the bytes that libdbus reads from a Unix socket.
///
/// The kernel lowers a socket's peek offset by the bytes read from it (socket(7), `SO_PEEK_OFF`): set beyond everything
/// that may arrive, it is a counter.
@DBusActor
private struct ReadCounter {
    private static let highest: Int32 = 1 << 30
    /// More than libdbus reads between two calls, also before authentication.
    static let mostRead = 1 << 14

    private let socket: Int32
    private var offset = highest

    init(socket: Int32) {
        self.socket = socket
        listd_set_peek_offset(socket, Self.highest)
    }

    /// The number of bytes read since the last call; 0 where the kernel does not count.
    mutating func consume() -> Int {
        let now = listd_get_peek_offset(socket)
        guard now >= 0, now < offset else { return 0 }
        let count = Int(offset - now)
        offset = now
        if now < Self.highest / 2 { rewind() }
        return count
    }

    /// The bytes in the socket, at most `mostRead`.
    mutating func peek() -> [UInt8] {
        listd_set_peek_offset(socket, 0)
        defer { rewind() }
        return unsafe [UInt8](unsafeUninitializedCapacity: Self.mostRead) { buffer, count in
            let flags = Int32(MSG_PEEK | MSG_DONTWAIT)
            count = unsafe max(0, recv(socket, buffer.baseAddress, buffer.count, flags))
        }
    }

    private mutating func rewind() {
        offset = Self.highest
        listd_set_peek_offset(socket, offset)
    }
}
