// SPDX-License-Identifier: Apache-2.0

/// The sink of a data source, which passes events to the list; may be used from any thread or task.
///
/// Events arrive in the order in which they are sent. Like ``ready()``, ``replace(_:)`` and
/// ``changes(removed:upserts:)`` also end the state that ``failed(_:)`` began. When the list cannot keep up, sending
/// blocks until the list has caught up. In a callback of a section controller, sending returns at once, and the event
/// follows those that the source's executor is sending.
public struct DataSourceSink: Sendable {
    private let deliver: @Sendable (DataSourceEvent) -> Void

    /// Makes a sink that passes its events to a function.
    public init(_ deliver: @escaping @Sendable (DataSourceEvent) -> Void) {
        self.deliver = deliver
    }

    /// Sends one event.
    public func send(_ event: DataSourceEvent) { deliver(event) }

    /// Sends the whole list.
    public func replace(_ objects: [ListObject]) { deliver(.replace(objects)) }

    /// Sends the whole list, and how far the source has read with it.
    public func replace(_ objects: [ListObject], upTo progress: DataSourceProgress) {
        deliver(.upTo(progress, .replace(objects)))
    }

    /// Sends the whole list page by page, so that the source need not have all of it in memory.
    ///
    /// Each page is handled before the next one is sent, so at most one page is in memory. The list changes once,
    /// when all pages have arrived. A source must not send two lists at the same time: call this on the source's
    /// executor, or in one task.
    ///
    /// - Parameter pages: calls `send` with each page, and returns how far the source has read with all pages. When
    ///   `pages` throws, the list keeps its objects.
    public func replaceInPages(
        _ pages: (_ send: ([ListObject]) -> Void) throws -> DataSourceProgress
    ) rethrows {
        deliver(.replacementBegan)
        do {
            let progress = try pages { deliver(.page($0)) }
            deliver(.upTo(progress, .replacementEnded))
        } catch {
            deliver(.replacementAbandoned)
            throw error
        }
    }

    /// Sends changes: the identifiers of objects to remove, of which unknown ones are ignored, and then the objects
    /// to insert or update.
    public func changes(removed: [String] = [], upserts: [UpdateRequest.Upsert] = []) {
        deliver(.changes(removed: removed, upserts: upserts))
    }

    /// Sends changes, and how far the source has read with them.
    public func changes(
        removed: [String] = [], upserts: [UpdateRequest.Upsert] = [], upTo progress: DataSourceProgress
    ) {
        deliver(.upTo(progress, .changes(removed: removed, upserts: upserts)))
    }

    /// Reports that the source cannot be read at present, with the reason: one line that names the thing at fault.
    public func failed(_ message: String) { deliver(.failed(message)) }

    /// Reports that the source can be read again.
    public func ready() { deliver(.ready) }

    /// Reports that the source can be read and has not changed, and how far it has read.
    public func ready(upTo progress: DataSourceProgress) { deliver(.upTo(progress, .ready)) }

    /// Reports that the list lacks parts of the source, with the reason: one line that says how many there are and names
    /// the first; `nil` = the list has all.
    ///
    /// The list's state stays `ready`. The reason is its `SourceError` until the next call, whatever is sent in between.
    public func incomplete(_ message: String?) { deliver(.incomplete(message)) }

    /// Answers a write that was carried out. The events that were sent before must contain all changes of the write.
    public func wrote(_ write: DataSourceWrite.ID) { deliver(.written(write, nil)) }

    /// Answers a write that was refused. The error `sourceUnavailable` means that the outcome of the write is unknown;
    /// with any other error, the write must have changed nothing.
    public func refused(_ write: DataSourceWrite.ID, _ error: ListError) { deliver(.written(write, error)) }
}
