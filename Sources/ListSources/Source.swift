// SPDX-License-Identifier: Apache-2.0

package import ListKit
package import PluginAPI

/// A source, which fills a list in place of clients: a file that is followed, or a data source of a plugin.
///
/// A source runs on its own executor and sends events to the sink with which it was created.
package protocol Source: Sendable {
    /// Hints about how to display fields of the source's objects.
    var hints: [String: FieldHint] { get }

    /// Begins to read; called once.
    ///
    /// - Parameter place: called each time that the source begins to run. Returns the cursor from which the source
    ///   continues; nil = the source starts from the beginning.
    func start(from place: @escaping @Sendable () -> [UInt8]?)

    /// Changes the limits. Anything that was refused as too large is read again.
    func setLimits(_ limits: ObjectLimits, fileBytes: Int)

    /// Sends everything again from the beginning. Called when something that the source sent was refused as too large
    /// and might be accepted now.
    func renew()

    /// Whether clients may write to the list of this source.
    var acceptsWrites: Bool { get }

    /// Performs a write of a client. The source answers with ``SourceEvent/written(_:_:)``, in order with its other
    /// events.
    ///
    /// - Parameter refuse: called instead of an answer when the request does not reach the source; on any thread.
    func write(_ write: DataSourceWrite, refuse: @escaping @Sendable (ListError) -> Void)

    /// Ends reading. A second call only calls `completion`.
    ///
    /// - Parameter completion: called on the source's executor after the last call of the sink.
    func stop(completion: @escaping @Sendable () -> Void)
}

extension Source {
    /// No hints, as for a file.
    package var hints: [String: FieldHint] { [:] }

    /// Does nothing, as objects of a plugin are checked against the limits when they arrive.
    package func setLimits(_ limits: ObjectLimits, fileBytes: Int) {}

    /// Does nothing, as a source that checks the limits while reading sends nothing that is refused.
    package func renew() {}

    /// `false`, as most sources are read-only.
    package var acceptsWrites: Bool { false }

    /// Refuses the write, as the source does not accept writes.
    package func write(_ write: DataSourceWrite, refuse: @escaping @Sendable (ListError) -> Void) {
        refuse(ListError(.readOnly, "the source does not accept writes"))
    }

    /// Begins to read from the beginning.
    package func start() { start { nil } }
}

/// An event that a source sends to its list.
///
/// The list is `loading` until the first event. After ``failed(_:)``, the list is `failed` until ``replace(_:)``,
/// ``changes(removed:upserts:)``, ``replacementEnded`` or ``ready``. These events do not end a fault.
package enum SourceEvent: Sendable {
    /// The whole list. The engine computes the changes.
    case replace([ListObject])
    /// Removed identifiers, of which unknown ones are ignored; then new or changed objects, in order.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
    /// The source cannot be read at present. The list keeps its objects.
    case failed(ListError)
    /// A part of the source cannot be read, and the list has the rest; nil if all of it can be read. The fault lasts
    /// until the next event of this case.
    case fault(ListError?)
    /// The source can be read again, and nothing has changed since it failed.
    case ready
    /// The process of the source is being restarted. The list keeps its objects.
    case paused
    /// The whole list follows in pages.
    case replacementBegan
    /// The next page of the whole list.
    case page([ListObject])
    /// The pages since ``replacementBegan`` are complete: they are the whole list.
    case replacementEnded
    /// The pages since ``replacementBegan`` are incomplete and must be discarded.
    case replacementAbandoned
    /// An event, and the progress of the source after it. Both are stored in one transaction.
    indirect case upTo(DataSourceProgress, SourceEvent)
    /// The outcome of a write; nil for success. The changes of a successful write are in earlier events.
    case written(DataSourceWrite.ID, ListError?)
}

/// A function that handles the events of a source, in order, on the source's executor. While it blocks, the source
/// waits.
package typealias SourceSink = @Sendable (SourceEvent) -> Void
