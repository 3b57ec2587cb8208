// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// How much of a message is received before it is complete, and who has room for it.
struct UnfinishedLimits {
    /// How long nothing more of a message may come although it is read.
    var timeout: Duration
    /// The largest message.
    var maximumSize: Int
    /// Whether so many bytes may be received, all of a message; if not, its connection is not read until `retry`.
    var reserve: @DBusActor (Int) -> Bool
    /// Gives back what was reserved.
    var release: @DBusActor (Int) -> Void
    /// Told how many bytes had come when a message has timed out.
    var onTimeout: @DBusActor (_ bytes: Int) -> Void
}

/// The message that the other end of a Unix socket has begun and not finished: how many bytes of it were read, how long it will
/// be, and since when nothing more came.
///
/// libdbus does not say that it has a part of a message. The kernel counts what is read, and what lies in the socket is looked
/// at before, so that the header tells the length.
@DBusActor
final class UnfinishedMessage {
    /// Smaller messages are received whatever the account says.
    private static let smallSize = 16 << 10

    private let socket: Int32
    private let limits: UnfinishedLimits
    private let isReading: @DBusActor () -> Bool
    private let setWaiting: @DBusActor (Bool) -> Void
    private var reads: ReadCounter
    /// Looks for the beginning of the first message; nil when it is found.
    private var handshake: HandshakeScanner? = HandshakeScanner()
    /// What lies in the socket before it is read.
    private var peeked: ArraySlice<UInt8> = []
    private var boundaries = MessageBoundaries()
    /// How many messages have left.
    private var delivered: UInt64 = 0
    /// What is reserved for messages that have not left, by their numbers.
    private var reservations: [(number: UInt64, size: Int)] = []
    private var waitsForRoom = false
    /// When something was read last, or reading began again, in nanoseconds of `TimerQueue.now`.
    private var lastProgress = TimerQueue.now()
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - socket: is its owner's, who calls `end` before it is closed.
    ///   - isReading: whether what comes is read now.
    ///   - setWaiting: called with true when nothing more may be read for want of room, and with false when it may again.
    init(
        socket: Int32, limits: UnfinishedLimits, isReading: @escaping @DBusActor () -> Bool,
        setWaiting: @escaping @DBusActor (Bool) -> Void
    ) {
        self.socket = socket
        self.limits = limits
        self.isReading = isReading
        self.setWaiting = setWaiting
        reads = ReadCounter(socket: socket)
    }

    /// Nothing is read any more.
    func end() {
        timer?.cancel()
        timer = nil
        let left = reservations
        reservations = []
        for reservation in left { limits.release(reservation.size) }
    }

    /// What has come may be read now.
    func willRead() {
        peeked = boundaries.mayBeSkipped(ReadCounter.mostRead) && handshake == nil ? [] : reads.peek()[...]
    }

    /// What has come may have been read.
    ///
    /// - Parameter isAuthenticated: whether libdbus has read the end of the handshake.
    func didRead(isAuthenticated: Bool) {
        let count = reads.consume()
        guard count > 0 else { return }
        lastProgress = TimerQueue.now()
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
                return boundaries.giveUp()
            } else {
                return
            }
        }
        boundaries.consume(seen)
        boundaries.skip(unseen)
        reserve()
    }

    /// A message is about to leave; answers whether room was reserved for it, which is given back.
    func delivers(_ message: Message) -> Bool {
        delivered += 1
        if delivered > boundaries.completed { boundaries.removeUnknown(size: message.exactSize) }
        guard let first = reservations.first, first.number <= delivered else { return false }
        reservations.removeFirst()
        limits.release(first.size)
        return true
    }

    /// All messages that were read have left: what remains is the beginning of one.
    func settle() {
        boundaries.settle()
        if boundaries.received > 0, timer == nil { wait(limits.timeout) }
    }

    /// Reading begins again: the time in which nothing could come does not count.
    func resume() { lastProgress = TimerQueue.now() }

    /// There may be room for the message for which there was none.
    func retry() {
        guard waitsForRoom else { return }
        waitsForRoom = false
        reserve()
        if !waitsForRoom { setWaiting(false) }
    }

    /// Reserves room for all of the message that has begun, or has its connection wait.
    private func reserve() {
        let number = boundaries.completed + 1
        guard !waitsForRoom, reservations.last?.number != number else { return }
        // Where its header was not seen, the message counts as large as it may be.
        let unknown = boundaries.isUnknown && boundaries.received > Self.smallSize ? limits.maximumSize : 0
        let size = min(boundaries.length ?? unknown, limits.maximumSize)
        guard size > Self.smallSize else { return }
        if limits.reserve(size) {
            reservations.append((number, size))
        } else {
            waitsForRoom = true
            setWaiting(true)
        }
    }

    private func wait(_ time: Duration) {
        timer = EventLoop.shared.addTimer(after: time) { [weak self] in self?.timeIsUp() }
    }

    private func timeIsUp() {
        timer = nil
        guard boundaries.received > 0 else { return }
        guard isReading() else { return wait(limits.timeout) }
        let idle = Duration.nanoseconds(Int64(clamping: TimerQueue.now() - lastProgress))
        if idle < limits.timeout { wait(limits.timeout - idle) } else { limits.onTimeout(boundaries.received) }
    }
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
