// SPDX-License-Identifier: Apache-2.0

package import ListKit
package import PluginAPI

/// What fills a list instead of clients: a file that is followed, or a data source of a plugin.
///
/// A source works on an executor of its own and tells what it finds through the sink that it was made with.
package protocol Source: Sendable {
    /// How people want to see fields of its objects.
    var hints: [String: FieldHint] { get }

    /// Begins to read; called once.
    ///
    /// - Parameter place: answers where the source left off, each time it begins to run; nil = it begins anew.
    func start(from place: @escaping @Sendable () -> [UInt8]?)

    /// Takes other limits; what was refused as too large is read again.
    func setLimits(_ limits: ObjectLimits, fileBytes: Int)

    /// Begins anew, and tells all of it again: something that it told was refused as too large, and might not be now.
    func renew()

    /// Whether clients may write to its list.
    var acceptsWrites: Bool { get }

    /// Has what clients ask for written; answered with ``SourceEvent/written(_:_:)``, in order with all other events.
    ///
    /// - Parameter refuse: called in place of an answer when the source does not get it, on any thread.
    func write(_ write: DataSourceWrite, refuse: @escaping @Sendable (ListError) -> Void)

    /// Ends reading; a second call only completes.
    ///
    /// - Parameter completion: called on the source's executor; the sink is not called any more by then.
    func stop(completion: @escaping @Sendable () -> Void)
}

extension Source {
    /// What a file says has no meaning beside its text.
    package var hints: [String: FieldHint] { [:] }

    /// What a plugin makes is looked at when it comes.
    package func setLimits(_ limits: ObjectLimits, fileBytes: Int) {}

    /// Whoever looks while reading has told nothing that was refused.
    package func renew() {}

    /// Most sources are only read.
    package var acceptsWrites: Bool { false }

    /// Nobody asks a source that takes no writes.
    package func write(_ write: DataSourceWrite, refuse: @escaping @Sendable (ListError) -> Void) {
        refuse(ListError(.readOnly, "the source takes no writes"))
    }

    /// Begins to read from the beginning.
    package func start() { start { nil } }
}

/// What a source tells its list.
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
    /// An event, and how far the source has read with it: stored with what the event changes, or not at all.
    indirect case upTo(DataSourceProgress, SourceEvent)
    /// The outcome of a write: nil = it is in the events that came before.
    case written(DataSourceWrite.ID, ListError?)
}

/// Takes the events of a source, in order, on the source's executor; waiting in it slows the source down.
package typealias SourceSink = @Sendable (SourceEvent) -> Void
