// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ListKit
internal import Synchronization

/// Decodes the reports of one worker and dispatches them in order: reports of a list to the list, others to the
/// supervisor.
///
/// Large reports are decoded on a separate queue, so that they do not block the event loop.
final class WorkerReports: Sendable {
    private let plugin: String
    /// Handles reports that are not about a list, on the thread that has decoded them.
    private let handle: @Sendable (WorkerReport) -> Void
    private let queue = DispatchQueue(label: "org.listd.worker.reports")
    /// The lists whose reports are dispatched, by their numbers; read on the queue.
    private let lists = Mutex<[PresenterNumber: any PresentedList]>([:])

    init(of plugin: String, _ handle: @escaping @Sendable (WorkerReport) -> Void) {
        self.plugin = plugin
        self.handle = handle
    }

    /// Dispatches the reports of a presenter to a list from now on.
    func dispatchReports(of number: PresenterNumber, to list: any PresentedList) {
        lists.withLock { $0[number] = list }
    }

    /// Discards the reports of a presenter from now on.
    func discardReports(of number: PresenterNumber) { lists.withLock { $0[number] = nil } }

    /// Handles a report on the caller's thread. Call this only when no earlier report is on the queue.
    ///
    /// - Throws: an error for bytes that are not an encoded report.
    func handleNow(_ packet: WorkerPacket) throws(WireError) { try decodeAndDispatch(packet, isLight: true) }

    /// Handles a report on the queue, after all earlier reports.
    ///
    /// - Parameter completion: called on the queue; the error is non-nil for bytes that are not an encoded report.
    func handleInOrder(_ packet: WorkerPacket, _ completion: @escaping @Sendable (WireError?) -> Void) {
        queue.async { [self] in
            do throws(WireError) {
                try decodeAndDispatch(packet, isLight: false)
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    /// Calls `completion` when all earlier reports are handled. Later reports of lists are discarded.
    func end(_ completion: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            lists.withLock { $0 = [:] }
            completion()
        }
    }

    private func decodeAndDispatch(_ packet: WorkerPacket, isLight: Bool) throws(WireError) {
        let report = try packet.value(of: WorkerReport.self)
        guard case .presented(let number, let output) = report else { return handle(report) }
        let list = lists.withLock { $0[number] }
        list?.times?.countMessage(fromWorkerOf: plugin)
        list?.report(output, from: number, isLight: isLight)
    }
}

/// The flow control of a worker's reports. It decides when the daemon pauses reading from the worker.
///
/// It has no side effects. Reading pauses while too many bytes of reports are not handled, and after each burst of
/// reports, so that a worker that reports all the time leaves the event loop time for others.
struct ReportIntake {
    /// The maximum size of the reports that are not handled, in bytes; beyond it, reading pauses.
    private static let pausedAbove = 16 << 20
    /// The maximum number of reports that are read in one ``stretch``.
    private static let reportsInStretch = 256
    /// The time in which ``reportsInStretch`` reports may be read.
    static let stretch = Duration.milliseconds(10)

    /// The number of reports that are not handled yet.
    private var packets = 0
    /// The size of the reports that are not handled yet.
    private var bytes = 0
    private var isBehind = false
    private var stretchStart = ContinuousClock.now
    private var reportsRead = 0

    /// Whether all reports are handled.
    var isEmpty: Bool { packets == 0 }

    /// Whether reading has to pause.
    var mustPause: Bool { isBehind || reportsRead >= Self.reportsInStretch }

    /// Records that a report has arrived.
    ///
    /// - Returns: whether it is the last report of its stretch. The caller then calls ``endStretch()`` after one
    ///   ``stretch``.
    mutating func recordArrival(ofBytes count: Int, at now: ContinuousClock.Instant) -> Bool {
        packets += 1
        bytes += count
        if bytes > Self.pausedAbove { isBehind = true }
        if stretchStart + Self.stretch <= now { (stretchStart, reportsRead) = (now, 0) }
        reportsRead += 1
        return reportsRead == Self.reportsInStretch
    }

    /// Records that a report is handled.
    mutating func recordHandled(bytes count: Int) {
        packets -= 1
        bytes -= count
        if bytes < Self.pausedAbove / 4 { isBehind = false }
    }

    /// Lets the next burst of reports be read.
    mutating func endStretch() { reportsRead = 0 }
}

/// A rate limiter for messages that no request asked for: it allows a burst, and then one message per interval.
///
/// It has no side effects: given the time, it returns the delay of the next message (the generic cell rate algorithm of
/// ITU-T I.371).
package struct FloodBrake: Sendable, Equatable {
    private let interval: Duration
    private let tolerance: Duration
    /// The theoretical arrival time of the last message, had all messages kept the interval.
    private var last: ContinuousClock.Instant?

    /// The limit for a worker's unrequested reports about one list or data source. It is higher than people can
    /// perceive, and too low to delay other lists.
    package static let perList = FloodBrake(burst: 256, interval: .milliseconds(2))

    /// Makes a rate limiter that no message has passed yet.
    ///
    /// - Parameters:
    ///   - burst: the number of messages that may follow each other without an interval, at least 1.
    ///   - interval: the interval of the messages in the long run.
    package init(burst: Int, interval: Duration) {
        self.interval = interval
        tolerance = interval * (max(1, burst) - 1)
    }

    /// Admits a message and returns nil, or returns the time after which the caller may ask again.
    package mutating func admit(at now: ContinuousClock.Instant) -> Duration? {
        let due = max((last ?? now - interval) + interval, now)
        let earliest = due - tolerance
        guard now >= earliest else { return now.duration(to: earliest) }
        last = due
        return nil
    }
}
