// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A thread-safe record of how far the source of a list has read, up to the last announced change. The bus thread
/// writes the record, and the source reads it when it starts.
package final class SourceState: Sendable {
    private let state: Mutex<SourceRecord>

    /// Creates the state of a list whose contents match `record`.
    package init(_ record: SourceRecord = SourceRecord()) {
        state = Mutex(record)
    }

    /// The latest record.
    package var record: SourceRecord {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The cursor from which the source continues when it starts.
    package var cursor: [UInt8]? { record.cursor }

    /// Removes the cursor, so that the source begins from the start. Called when the list lacks something that the
    /// source sent.
    package func forgetCursor() { state.withLock { $0.removeCursor() } }
}
