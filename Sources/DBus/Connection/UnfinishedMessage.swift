// SPDX-License-Identifier: Apache-2.0

/// The limits of incomplete messages, and the account that reserves room for them.
struct UnfinishedLimits {
    /// The maximum time without progress while an incomplete message is being read.
    var timeout: Duration
    /// The maximum size of a message in bytes.
    var maximumSize: Int
    /// Reserves bytes for a whole message. Returns `false` when there is no room; the connection is then not read
    /// until `retry`.
    var reserve: @DBusActor (Int) -> Bool
    /// Releases reserved bytes.
    var release: @DBusActor (Int) -> Void
    /// Called with the number of received bytes when an incomplete message has timed out.
    var onTimeout: @DBusActor (_ bytes: Int) -> Void
}

/// The incomplete message on a Unix socket: its length, how many of its bytes were read, and when it last made
/// progress.
///
/// libdbus does not report incomplete messages. The kernel counts the bytes that libdbus reads, and the bytes in the
/// socket are peeked at before libdbus reads them, to find the length in the header.
@DBusActor
final class UnfinishedMessage {
    /// The size in bytes up to which messages are received without a reservation.
    private static let smallSize = 16 << 10

    private let limits: UnfinishedLimits
    private let isReading: @DBusActor () -> Bool
    private let setWaiting: @DBusActor (Bool) -> Void
    private var incoming: IncomingBytes
    /// The number of dispatched messages.
    private var delivered: UInt64 = 0
    /// The reservations for messages that were not dispatched yet, with the messages' numbers.
    private var reservations: [(number: UInt64, size: Int)] = []
    private var waitsForRoom = false
    /// The time of the last read or the last resumption of reading, in nanoseconds of `TimerQueue.now`.
    private var lastProgress = TimerQueue.now()
    private var timer: LoopTimer?

    /// Observes a socket.
    ///
    /// - Parameters:
    ///   - socket: the descriptor, which is not owned. The owner calls `end` before closing it.
    ///   - isReading: returns whether the socket is being read.
    ///   - setWaiting: called with `true` to stop reading for lack of room, and with `false` to resume.
    init(
        socket: Int32, limits: UnfinishedLimits, isReading: @escaping @DBusActor () -> Bool,
        setWaiting: @escaping @DBusActor (Bool) -> Void
    ) {
        self.limits = limits
        self.isReading = isReading
        self.setWaiting = setWaiting
        incoming = IncomingBytes(socket: socket)
    }

    /// Releases all reservations. Called when the socket will not be read again.
    func end() {
        timer?.cancel()
        timer = nil
        let left = reservations
        reservations = []
        for reservation in left { limits.release(reservation.size) }
    }

    /// Called before the received bytes may be read.
    func willRead() { incoming.willRead() }

    /// Called after the received bytes may have been read.
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

    /// Releases the room of a message of `size` bytes that is about to be dispatched. Returns `true` if room was
    /// reserved for it.
    func releaseRoom(ofMessageWith size: Int) -> Bool {
        delivered += 1
        if delivered > boundaries.completed { incoming.removeDispatched(size: size) }
        guard let first = reservations.first, first.number <= delivered else { return false }
        reservations.removeFirst()
        limits.release(first.size)
        return true
    }

    /// Records that all messages read so far are dispatched: the remaining bytes are the beginning of an incomplete
    /// message.
    func recordAllDispatched() {
        incoming.recordAllDispatched()
        if boundaries.received > 0, timer == nil { scheduleTimeoutCheck(after: limits.timeout) }
    }

    /// Records that reading resumes. The pause does not count as time without progress.
    func recordResumption() { lastProgress = TimerQueue.now() }

    /// Tries again to reserve room for the message that waits for room, if any.
    func retry() {
        guard waitsForRoom else { return }
        waitsForRoom = false
        reserve()
        if !waitsForRoom { setWaiting(false) }
    }

    private var boundaries: MessageBoundaries { incoming.boundaries }

    /// Reserves room for the whole incomplete message, or stops reading the connection.
    private func reserve() {
        let number = boundaries.completed + 1
        guard !waitsForRoom, reservations.last?.number != number else { return }
        // If the header was not seen, the message counts as the maximum size.
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

    private func scheduleTimeoutCheck(after time: Duration) {
        timer = EventLoop.shared.addTimer(after: time) { [weak self] in self?.checkTimeout() }
    }

    private func checkTimeout() {
        timer = nil
        guard boundaries.received > 0 else { return }
        guard isReading() else { return scheduleTimeoutCheck(after: limits.timeout) }
        let idle = Duration.nanoseconds(Int64(clamping: TimerQueue.now() - lastProgress))
        if idle < limits.timeout {
            scheduleTimeoutCheck(after: limits.timeout - idle)
        } else {
            limits.onTimeout(boundaries.received)
        }
    }
}
