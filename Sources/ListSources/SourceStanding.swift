// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How far the source of one list has read, up to what was announced: written by the bus thread, read when the source
/// starts.
package final class SourceState: Sendable {
    private let state: Mutex<SourceRecord>

    /// The list has what belongs to a record.
    package init(_ record: SourceRecord = SourceRecord()) {
        state = Mutex(record)
    }

    /// The last record.
    package var record: SourceRecord {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Where the source goes on when it starts.
    package var cursor: [UInt8]? { record.cursor }

    /// The list lacks something that the source sent: the source has to begin anew.
    package func forgetCursor() { state.withLock { $0.removeCursor() } }
}
