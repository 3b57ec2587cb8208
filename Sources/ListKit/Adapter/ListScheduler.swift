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
