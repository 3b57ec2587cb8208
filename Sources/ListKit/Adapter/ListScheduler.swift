// SPDX-License-Identifier: Apache-2.0

/// The clock and the executor of a list without a host. A program that uses ListKit without listd implements this
/// protocol.
///
/// All calls come from the adapter's executor, and `schedule` has to run its work there.
public protocol ListScheduler: AnyObject {
    /// The current time in milliseconds, which must not decrease.
    var now: UInt64 { get }

    /// Runs work once on the executor, as soon as possible after this call or at the given time.
    func schedule(_ timing: FlushTiming, _ work: @escaping () -> Void)

    /// Computes a diff on any thread, and passes its output to `completion` on the executor.
    ///
    /// The default implementation computes the diff inside of this call.
    func run(_ job: DiffJob, completion: @escaping (DiffJob.Output) -> Void)

    /// Receives the answers to requests of ``ListAdapter/enqueue(_:now:)``, in order. The default implementation
    /// drops them.
    func adapter(_ adapter: ListAdapter, answered answers: [RequestAnswer])

    /// Receives the events of the list, in order. The default implementation drops them.
    func adapter(_ adapter: ListAdapter, emitted events: [AdapterEvent])
}

extension ListScheduler {
    /// Computes the diff inside of this call.
    public func run(_ job: DiffJob, completion: @escaping (DiffJob.Output) -> Void) { completion(job.run()) }

    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, answered answers: [RequestAnswer]) {}

    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, emitted events: [AdapterEvent]) {}
}

/// A provider of the objects of a list.
public protocol ListAdapterDataSource: AnyObject {
    /// Returns all objects of the list, in order.
    func objects(for adapter: ListAdapter) -> [ListObject]
}

/// The clock of a list, and the time of the last call that was requested from its scheduler.
struct FlushSchedule {
    /// The current time in milliseconds.
    private(set) var now: UInt64 = 0
    private var timing = FlushTiming.idle
    /// The number of calls that were requested from the scheduler.
    private var count: UInt64 = 0

    /// Sets the current time. An earlier time is ignored.
    mutating func setTime(_ time: UInt64) { now = max(now, time) }

    /// Records the time of the next flush.
    ///
    /// - Returns: the number of the call to request from the scheduler; `nil` if a call at this time was requested
    ///   already, or if no flush is due.
    mutating func makeCallNumber(for timing: FlushTiming) -> UInt64? {
        guard timing != .idle, timing != self.timing else { return nil }
        self.timing = timing
        count &+= 1
        return count
    }

    /// Records a call of the scheduler.
    ///
    /// - Returns: whether the call is the last one that was requested. An earlier call is outdated and must be
    ///   ignored.
    mutating func acceptCall(number: UInt64) -> Bool {
        guard number == count else { return false }
        timing = .idle
        return true
    }
}
