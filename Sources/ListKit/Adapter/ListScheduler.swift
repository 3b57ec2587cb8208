// SPDX-License-Identifier: Apache-2.0

/// The clock and the executor of a list without a host, supplied by a program that uses ListKit alone.
///
/// All calls come from the adapter's executor, and `schedule` calls back there.
public protocol ListScheduler: AnyObject {
    /// The time in milliseconds; never goes back.
    var now: UInt64 { get }

    /// Calls back once: in the next turn of the executor, or at a time.
    func schedule(_ timing: FlushTiming, _ work: @escaping () -> Void)

    /// Computes a diff, on any thread, and passes its output back on the executor; the default computes it at once.
    func run(_ job: DiffJob, completion: @escaping (DiffJob.Output) -> Void)

    /// Receives the answers to requests of ``ListAdapter/enqueue(_:now:)``, in order; the default drops them.
    func adapter(_ adapter: ListAdapter, answered answers: [RequestAnswer])

    /// Receives the events of the list, in order.
    func adapter(_ adapter: ListAdapter, emitted events: [AdapterEvent])
}

extension ListScheduler {
    /// Computes the diff at once.
    public func run(_ job: DiffJob, completion: @escaping (DiffJob.Output) -> Void) { completion(job.run()) }

    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, answered answers: [RequestAnswer]) {}

    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, emitted events: [AdapterEvent]) {}
}

/// Provides the objects of a list.
public protocol ListAdapterDataSource: AnyObject {
    /// The new objects, in order.
    func objects(for adapter: ListAdapter) -> [ListObject]
}
