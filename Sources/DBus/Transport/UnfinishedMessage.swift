// SPDX-License-Identifier: Apache-2.0

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

    private let limits: UnfinishedLimits
    private let isReading: @DBusActor () -> Bool
    private let setWaiting: @DBusActor (Bool) -> Void
    private var incoming: IncomingBytes
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
        self.limits = limits
        self.isReading = isReading
        self.setWaiting = setWaiting
        incoming = IncomingBytes(socket: socket)
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
    func willRead() { incoming.willRead() }

    /// What has come may have been read.
    ///
    /// - Parameter isAuthenticated: whether libdbus has read the end of the handshake.
    func didRead(isAuthenticated: Bool) {
        switch incoming.didRead(isAuthenticated: isAuthenticated) {
        case .nothing: return
        case .handshake: lastProgress = TimerQueue.now()
        case .messages:
            lastProgress = TimerQueue.now()
            reserve()
        }
    }

    /// A message is about to leave; answers whether room was reserved for it, which is given back.
    func delivers(_ message: Message) -> Bool {
        delivered += 1
        if delivered > boundaries.completed { incoming.removeUnknown(size: message.exactSize) }
        guard let first = reservations.first, first.number <= delivered else { return false }
        reservations.removeFirst()
        limits.release(first.size)
        return true
    }

    /// All messages that were read have left: what remains is the beginning of one.
    func settle() {
        incoming.settle()
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

    private var boundaries: MessageBoundaries { incoming.boundaries }

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
