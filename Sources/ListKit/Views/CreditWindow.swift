// SPDX-License-Identifier: Apache-2.0

/// A flow-control window that limits the pictures in flight to a viewer. Without limits, every picture is admitted.
struct CreditWindow {
    private let maximumCount: Int?
    private let maximumBytes: Int?
    /// The pictures in flight: the sequence of the last change, and the size.
    private var unacknowledged: [(sequence: UInt64, bytes: Int)] = []
    private var bytes = 0

    /// The last sequence that the viewer acknowledged.
    private(set) var acknowledged: UInt64 = 0
    /// Whether changes are being held back for lack of credit, which the signal `Stalled` has announced.
    private(set) var isStalled = false

    init(maximumCount: Int?, maximumBytes: Int?) {
        self.maximumCount = maximumCount.map { max(1, $0) }
        self.maximumBytes = maximumBytes.map { max(0, $0) }
    }

    /// Whether the window has a limit, so that the viewer has to acknowledge pictures.
    var isLimited: Bool { maximumCount != nil || maximumBytes != nil }

    /// Whether a picture of at least one byte may be sent.
    var hasRoom: Bool { admits(bytes: 1) }

    /// Returns whether a picture of a size may be sent. If no picture is in flight, any picture may be sent.
    func admits(bytes size: Int) -> Bool {
        if unacknowledged.isEmpty { return true }
        if let maximumCount, unacknowledged.count >= maximumCount { return false }
        guard let maximumBytes else { return true }
        return size <= maximumBytes - bytes
    }

    /// Records that a picture was sent.
    mutating func recordSent(sequence: UInt64, bytes size: Int) {
        isStalled = false
        // A picture that no limit counts is not stored, because its viewer may never acknowledge it.
        guard maximumCount != nil || (maximumBytes != nil && size > 0) else { return }
        unacknowledged.append((sequence, size))
        bytes += size
    }

    /// Records that changes are held back. Returns whether `Stalled` must be announced.
    mutating func recordStall() -> Bool {
        defer { isStalled = true }
        return !isStalled
    }

    /// Records that no changes are held back any more.
    mutating func recordStallEnd() { isStalled = false }

    /// Records that the viewer has drawn everything up to a sequence. A sequence that was never sent is ignored.
    mutating func acknowledge(_ sequence: UInt64, lastSent: UInt64) {
        guard sequence > acknowledged, sequence <= lastSent else { return }
        acknowledged = sequence
        let open = unacknowledged.firstIndex { $0.sequence > sequence } ?? unacknowledged.count
        for picture in unacknowledged[..<open] { bytes -= picture.bytes }
        unacknowledged.removeFirst(open)
    }

    /// Restores the window of a resumed view. The sizes of pictures in flight are unknown by then and count as 0.
    mutating func resume(sequence: UInt64, acknowledged: UInt64, isStalled: Bool) {
        self.acknowledged = min(acknowledged, sequence)
        let open = maximumCount.map { min(sequence - self.acknowledged, UInt64($0)) } ?? 0
        unacknowledged = (0..<open).map { (sequence - (open - 1 - $0), 0) }
        self.isStalled = isStalled
    }

    /// Records that the viewer has drawn everything.
    mutating func acknowledgeAll(lastSent: UInt64) {
        acknowledged = lastSent
        unacknowledged.removeAll()
        bytes = 0
        isStalled = false
    }
}
