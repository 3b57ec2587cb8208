// SPDX-License-Identifier: Apache-2.0

package import ListKit
package import PluginAPI

/// What fills a list instead of clients: a file that is followed, or a data source of a plugin.
///
/// A source works on an executor of its own and sends what it finds through the sink that it was made with.
package protocol Source: Sendable {
    /// Hints about how to show fields of its objects to people.
    var hints: [String: FieldHint] { get }

    /// Begins to read; called once.
    ///
    /// - Parameter place: returns where the source continues, each time that it begins to run; nil = from the
    ///   beginning.
    func start(from place: @escaping @Sendable () -> [UInt8]?)

    /// Takes other limits; what was refused as too large is read again.
    func setLimits(_ limits: ObjectLimits, fileBytes: Int)

    /// Begins anew and sends everything again: something that it sent was refused as too large, and might be accepted
    /// now.
    func renew()

    /// Whether clients may write to its list.
    var acceptsWrites: Bool { get }

    /// Writes what clients ask for; the source answers with ``SourceEvent/written(_:_:)``, in order with all other
    /// events.
    ///
    /// - Parameter refuse: called in place of an answer when the request does not reach the source, on any thread.
    func write(_ write: DataSourceWrite, refuse: @escaping @Sendable (ListError) -> Void)

    /// Ends reading; a second call only completes.
    ///
    /// - Parameter completion: called on the source's executor; the sink is not called any more by then.
    func stop(completion: @escaping @Sendable () -> Void)
}

extension Source {
    /// A file has no hints besides its text.
    package var hints: [String: FieldHint] { [:] }

    /// Objects of a plugin are checked against the limits when they arrive.
    package func setLimits(_ limits: ObjectLimits, fileBytes: Int) {}

    /// A source that checks the limits while reading has sent nothing that was refused.
    package func renew() {}

    /// Most sources are only read.
    package var acceptsWrites: Bool { false }

    /// Nobody asks this of a source that takes no writes.
    package func write(_ write: DataSourceWrite, refuse: @escaping @Sendable (ListError) -> Void) {
        refuse(ListError(.readOnly, "the source takes no writes"))
    }

    /// Begins to read from the beginning.
    package func start() { start { nil } }
}

/// An event that a source sends to its list.
///
/// Until the first event the list is `loading`. ``replace(_:)``, ``changes(removed:upserts:)`` and ``replacementEnded`` also end a
/// failure, but no fault.
package enum SourceEvent: Sendable {
    /// The whole list; the engine finds out what changed.
    case replace([ListObject])
    /// Identifiers that are gone, unknown ones are no error; then objects that are new or changed, in order.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
    /// The source cannot be read for now; the list keeps what it has.
    case failed(ListError)
    /// Something of the source cannot be read, and the list has the rest; nil = all of it can. It stands until the next one.
    case fault(ListError?)
    /// The source is read again, and nothing has changed since it failed.
    case ready
    /// The process of the source is being started again; the list keeps what it has.
    case paused
    /// The whole list follows in pages.
    case replacementBegan
    /// The next objects of the whole list.
    case page([ListObject])
    /// The pages since ``replacementBegan`` are the whole list.
    case replacementEnded
    /// The pages since ``replacementBegan`` are not the whole list.
    case replacementAbandoned
    /// An event, and the place that the source has reached with it: stored in one transaction with what the event
    /// changes.
    indirect case upTo(DataSourceProgress, SourceEvent)
    /// The outcome of a write: nil = its changes are in the events that came before.
    case written(DataSourceWrite.ID, ListError?)
}

/// Takes the events of a source, in order, on the source's executor; waiting in it slows the source down.
package typealias SourceSink = @Sendable (SourceEvent) -> Void
