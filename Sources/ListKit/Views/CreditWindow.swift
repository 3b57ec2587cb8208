// SPDX-License-Identifier: Apache-2.0

/// How much a view may be sent before its viewer acknowledges; without limits, everything.
struct CreditWindow {
    /// One picture on its way: the last of its changes, and its size.
    private struct Entry {
        let sequence: UInt64
        let bytes: Int
    }

    private let maximumCount: Int?
    private let maximumBytes: Int?
    private var entries: [Entry] = []
    private var bytes = 0

    /// The last sequence that was acknowledged.
    private(set) var acknowledged: UInt64 = 0
    /// Whether a difference is being held back; its `Stalled` was announced.
    private(set) var isStalled = false

    init(maximumCount: Int?, maximumBytes: Int?) {
        self.maximumCount = maximumCount.map { max(1, $0) }
        self.maximumBytes = maximumBytes.map { max(0, $0) }
    }

    /// Whether the viewer has to acknowledge, sooner or later.
    var isLimited: Bool { maximumCount != nil || maximumBytes != nil }

    /// Whether a picture of unknown size may still go.
    var hasRoom: Bool { admits(1) }

    /// Whether a picture of a size may go; the first one always may.
    func admits(_ size: Int) -> Bool {
        if entries.isEmpty { return true }
        if let maximumCount, entries.count >= maximumCount { return false }
        guard let maximumBytes else { return true }
        return size <= maximumBytes - bytes
    }

    /// A picture went out.
    mutating func send(sequence: UInt64, bytes size: Int) {
        isStalled = false
        // What no limit counts is not remembered: nobody may ever acknowledge it.
        guard maximumCount != nil || (maximumBytes != nil && size > 0) else { return }
        entries.append(Entry(sequence: sequence, bytes: size))
        bytes += size
    }

    /// A difference was held back; answers whether that is to be announced.
    mutating func stall() -> Bool {
        defer { isStalled = true }
        return !isStalled
    }

    /// There is no difference any more to hold back.
    mutating func endStall() { isStalled = false }

    /// The viewer has drawn everything up to a sequence; one that was never sent is ignored.
    mutating func acknowledge(_ sequence: UInt64, lastSent: UInt64) {
        guard sequence > acknowledged, sequence <= lastSent else { return }
        acknowledged = sequence
        let open = entries.firstIndex { $0.sequence > sequence } ?? entries.count
        for entry in entries[..<open] { bytes -= entry.bytes }
        entries.removeFirst(open)
    }

    /// Goes on where a viewer is; how large the pictures on their way are is not known any more.
    mutating func resume(sequence: UInt64, acknowledged: UInt64, isStalled: Bool) {
        self.acknowledged = min(acknowledged, sequence)
        let open = maximumCount.map { min(sequence - self.acknowledged, UInt64($0)) } ?? 0
        entries = (0..<open).map { Entry(sequence: sequence - (open - 1 - $0), bytes: 0) }
        self.isStalled = isStalled
    }

    /// The viewer has drawn everything.
    mutating func acknowledgeAll(lastSent: UInt64) {
        acknowledged = lastSent
        entries.removeAll()
        bytes = 0
        isStalled = false
    }
}
