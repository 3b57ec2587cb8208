// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// What libdbus reads from a socket, followed from outside: where the handshake ends, and where messages begin.
@DBusActor
struct IncomingBytes {
    /// What was read since the last time.
    enum Progress {
        case nothing
        /// Nothing that belongs to a message, as far as is known.
        case handshake
        case messages
    }

    private var reads: ReadCounter
    /// Looks for the beginning of the first message; nil when it is found.
    private var handshake: HandshakeScanner? = HandshakeScanner()
    /// What lies in the socket before it is read.
    private var peeked: ArraySlice<UInt8> = []
    private(set) var boundaries = MessageBoundaries()

    init(socket: Int32) { reads = ReadCounter(socket: socket) }

    /// What has come may be read now.
    mutating func willRead() {
        peeked = boundaries.mayBeSkipped(ReadCounter.mostRead) && handshake == nil ? [] : reads.peek()[...]
    }

    /// What has come may have been read.
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
                // The end came between looking and reading.
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

    /// A message that was counted as not complete has been taken out.
    mutating func removeUnknown(size: Int) { boundaries.removeUnknown(size: size) }

    /// All messages that are complete were taken out.
    mutating func settle() { boundaries.settle() }
}

/// Counts the bytes that somebody reads from a Unix socket.
///
/// The kernel lowers the offset at which a socket is peeked at by what is read from it (socket(7), `SO_PEEK_OFF`): it is set
/// beyond everything that may come, and is a counter then.
@DBusActor
private struct ReadCounter {
    private static let highest: Int32 = 1 << 30
    /// More than libdbus reads before it asks again, also before it has let somebody in.
    static let mostRead = 1 << 14

    private let socket: Int32
    private var offset = highest

    init(socket: Int32) {
        self.socket = socket
        listd_set_peek_offset(socket, Self.highest)
    }

    /// How much was read since the last time; 0 where the kernel does not count.
    mutating func consume() -> Int {
        let now = listd_get_peek_offset(socket)
        guard now >= 0, now < offset else { return 0 }
        let count = Int(offset - now)
        offset = now
        if now < Self.highest / 2 { rewind() }
        return count
    }

    /// What lies in the socket, at most `mostRead` bytes.
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
