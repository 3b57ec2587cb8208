// SPDX-License-Identifier: Apache-2.0

/// The way from a data source to its list; may be used from any thread or task.
///
/// Events arrive in the order in which they are sent. ``replace(_:)`` and ``changes(removed:upserts:)`` also end a
/// failure. When the list is far behind, sending blocks until it has caught up.
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
    /// Each page is handled before the next one is sent: at most one is in memory. The list changes once, when all
    /// pages have arrived. A source sends one list at a time: call this on the source's executor, or in one task.
    ///
    /// - Parameter pages: sends pages with the function that it gets, and returns how far the source has read with all
    ///   of them. When it throws, the list keeps its objects.
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

    /// Sends changes: identifiers to remove, where unknown ones are ignored; then objects to insert or update.
    public func changes(removed: [String] = [], upserts: [UpdateRequest.Upsert] = []) {
        deliver(.changes(removed: removed, upserts: upserts))
    }

    /// Sends changes, and how far the source has read with them.
    public func changes(
        removed: [String] = [], upserts: [UpdateRequest.Upsert] = [], upTo progress: DataSourceProgress
    ) {
        deliver(.upTo(progress, .changes(removed: removed, upserts: upserts)))
    }

    /// Reports that the source cannot be read for now, with the reason: one line that names the thing at fault.
    public func failed(_ message: String) { deliver(.failed(message)) }

    /// Reports that the source can be read again.
    public func ready() { deliver(.ready) }

    /// Reports how far the source has read when nothing changed.
    public func ready(upTo progress: DataSourceProgress) { deliver(.upTo(progress, .ready)) }

    /// Answers a write: the events sent before contain all of it.
    public func wrote(_ write: DataSourceWrite.ID) { deliver(.written(write, nil)) }

    /// Answers a write: nothing was done, or, with `sourceUnavailable`, the outcome is unknown.
    public func refused(_ write: DataSourceWrite.ID, _ error: ListError) { deliver(.written(write, error)) }
}
