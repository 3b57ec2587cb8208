// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// An observer of the bytes that libdbus reads from a socket. It finds the end of the handshake and the boundaries of
/// messages.
@DBusActor
struct IncomingBytes {
    /// What libdbus has read between two calls of `didRead`.
    enum Progress {
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
    mutating func didRead(isAuthenticated: Bool) -> Progress {
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
