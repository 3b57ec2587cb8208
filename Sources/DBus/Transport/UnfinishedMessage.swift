// SPDX-License-Identifier: Apache-2.0

/// Limits on the received part of an incomplete message, and the account that reserves room for it.
struct UnfinishedLimits {
    /// The time that an incomplete message may make no progress while it is read.
    var timeout: Duration
    /// The largest message.
    var maximumSize: Int
    /// Reserves so many bytes, for all of a message; false = the connection is not read until `retry`.
    var reserve: @DBusActor (Int) -> Bool
    /// Releases reserved bytes.
    var release: @DBusActor (Int) -> Void
    /// Called with the number of received bytes when a message has timed out.
    var onTimeout: @DBusActor (_ bytes: Int) -> Void
}

/// The incomplete message of a Unix socket's other end: how many bytes of it were read, its length, and when it last
/// made progress.
///
/// libdbus does not report a partly received message. The kernel counts the bytes read, and the bytes in the socket are
/// peeked at before, so that the header tells the length.
@DBusActor
final class UnfinishedMessage {
    /// Smaller messages are received without asking the account.
    private static let smallSize = 16 << 10

    private let limits: UnfinishedLimits
    private let isReading: @DBusActor () -> Bool
    private let setWaiting: @DBusActor (Bool) -> Void
    private var incoming: IncomingBytes
    /// The number of dispatched messages.
    private var delivered: UInt64 = 0
    /// The bytes reserved for messages that were not dispatched, by message number.
    private var reservations: [(number: UInt64, size: Int)] = []
    private var waitsForRoom = false
    /// When something was last read, or reading resumed, in nanoseconds of `TimerQueue.now`.
    private var lastProgress = TimerQueue.now()
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - socket: not owned; the owner calls `end` before closing it.
    ///   - isReading: whether the socket is being read.
    ///   - setWaiting: called with true to stop reading for lack of room, and with false to resume.
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

    /// The received bytes may be read now.
    func willRead() { incoming.willRead() }

    /// The received bytes may have been read.
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

    /// A message is about to be dispatched; releases its room, and returns whether some was reserved.
    func delivers(_ message: Message) -> Bool {
        delivered += 1
        if delivered > boundaries.completed { incoming.removeUnknown(size: message.exactSize) }
        guard let first = reservations.first, first.number <= delivered else { return false }
        reservations.removeFirst()
        limits.release(first.size)
        return true
    }

    /// All messages that were read are dispatched: the rest is the beginning of one.
    func settle() {
        incoming.settle()
        if boundaries.received > 0, timer == nil { wait(limits.timeout) }
    }

    /// Reading resumes: the pause does not count as time without progress.
    func resume() { lastProgress = TimerQueue.now() }

    /// Asks again for room for the message for which there was none.
    func retry() {
        guard waitsForRoom else { return }
        waitsForRoom = false
        reserve()
        if !waitsForRoom { setWaiting(false) }
    }

    private var boundaries: MessageBoundaries { incoming.boundaries }

    /// Reserves room for all of the message that has begun, or stops reading its connection.
    private func reserve() {
        let number = boundaries.completed + 1
        guard !waitsForRoom, reservations.last?.number != number else { return }
        // If its header was not seen, the message counts as the maximum size.
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
