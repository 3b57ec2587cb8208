internal import CDBus
internal import Glibc

/// The message that the other end of a Unix socket has begun and not finished: how many bytes of it were read, and since when
/// nothing more came.
///
/// libdbus does not say that it has a part of a message. The kernel counts what is read, messages tell their sizes, and the
/// difference is what has come of the next one.
@DBusActor
final class UnfinishedMessage {
    private let socket: Int32
    private let timeout: Duration
    private let isReading: @DBusActor () -> Bool
    private let onTimeout: @DBusActor (_ bytes: Int) -> Void
    private var reads: ReadCounter
    /// Looks for the beginning of the first message; nil when it is found.
    private var handshake: HandshakeScanner? = HandshakeScanner()
    /// What lies in the socket before it is read, while the first message has not begun.
    private var peeked: [UInt8] = []
    /// Bytes that were read and have not left as messages.
    private var bytes = 0
    /// When something was read last, or reading began again, in nanoseconds of `TimerQueue.now`.
    private var lastProgress = TimerQueue.now()
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - socket: is its owner's, who calls `end` before it is closed.
    ///   - isReading: whether what comes is read now.
    ///   - onTimeout: called when, for `timeout`, nothing more of a message has come although it was read.
    init(
        socket: Int32, timeout: Duration, isReading: @escaping @DBusActor () -> Bool,
        onTimeout: @escaping @DBusActor (_ bytes: Int) -> Void
    ) {
        self.socket = socket
        self.timeout = timeout
        self.isReading = isReading
        self.onTimeout = onTimeout
        reads = ReadCounter(socket: socket)
    }

    /// Nothing is read any more.
    func end() {
        timer?.cancel()
        timer = nil
    }

    /// Whether the messages have begun; before, `willRead` is to be called each time before something is read.
    var hasBegun: Bool { handshake == nil }

    /// What has come may be read now.
    func willRead() { peeked = reads.peek() }

    /// What has come may have been read.
    ///
    /// - Parameter isAuthenticated: whether libdbus has read the end of the handshake.
    func didRead(isAuthenticated: Bool) {
        let count = reads.take()
        guard count > 0 else { return }
        lastProgress = TimerQueue.now()
        guard !hasBegun else {
            bytes += count
            return
        }
        if let behind = handshake?.consume(peeked.prefix(count)) {
            bytes = behind + max(0, count - peeked.count)
            handshake = nil
        } else if isAuthenticated {
            // The end came between looking and reading: the count begins too late, which `settle` mends.
            handshake = nil
        }
        peeked = []
    }

    /// A message has left.
    ///
    /// - Parameter isLast: whether nothing else that was read has become a message.
    func delivered(_ message: Message, isLast: Bool) {
        // Counting all header fields may cost a copy, and is needed only where the others do not explain what was read.
        let size = message.size
        bytes -= isLast && bytes == size ? size : message.exactSize
    }

    /// All messages that were read have left: what remains is the beginning of one.
    func settle() {
        bytes = max(bytes, 0)
        if bytes > 0, timer == nil { wait(timeout) }
    }

    /// Reading begins again: the time in which nothing could come does not count.
    func resume() { lastProgress = TimerQueue.now() }

    private func wait(_ time: Duration) {
        timer = EventLoop.shared.addTimer(after: time) { [weak self] in self?.timeIsUp() }
    }

    private func timeIsUp() {
        timer = nil
        guard bytes > 0 else { return }
        guard isReading() else { return wait(timeout) }
        let idle = Duration.nanoseconds(Int64(clamping: TimerQueue.now() - lastProgress))
        if idle < timeout { wait(timeout - idle) } else { onTimeout(bytes) }
    }
}

/// Counts the bytes that somebody reads from a Unix socket.
///
/// The kernel lowers the offset at which a socket is peeked at by what is read from it (socket(7), `SO_PEEK_OFF`): it is set
/// beyond everything that may come, and is a counter then.
@DBusActor
private struct ReadCounter {
    private static let highest: Int32 = 1 << 30

    private let socket: Int32
    private var offset = highest

    init(socket: Int32) {
        self.socket = socket
        listd_set_peek_offset(socket, Self.highest)
    }

    /// How much was read since the last time; 0 where the kernel does not count.
    mutating func take() -> Int {
        let now = listd_get_peek_offset(socket)
        guard now >= 0, now < offset else { return 0 }
        let count = Int(offset - now)
        offset = now
        if now < Self.highest / 2 { rewind() }
        return count
    }

    /// What lies in the socket, at most 16 KiB, which is more than libdbus takes in before it lets somebody in.
    mutating func peek() -> [UInt8] {
        listd_set_peek_offset(socket, 0)
        defer { rewind() }
        return unsafe [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, count in
            let flags = Int32(MSG_PEEK | MSG_DONTWAIT)
            count = unsafe max(0, recv(socket, buffer.baseAddress, buffer.count, flags))
        }
    }

    private mutating func rewind() {
        offset = Self.highest
        listd_set_peek_offset(socket, offset)
    }
}
