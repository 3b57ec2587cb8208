// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// The update of a list that is being stored, presented and announced.
struct UpdateUnderWay {
    /// The requests that are answered with the update.
    let requests: [RequestID]
    /// Whether opening and presenting the update takes microseconds.
    let isLight: Bool
    /// The change of the objects, until it is announced or dropped.
    private var content: PreparedTransaction.Content?
    private var removed: LargeRemoval?

    /// Makes the state without an update in progress.
    init() { (requests, isLight) = ([], true) }

    /// Makes the state for an update that is about to be stored.
    init(_ work: StoreWork) {
        requests = work.requests
        content = work.content
        isLight = content?.isLight ?? true
    }

    /// Records the number of objects that the update removes from the list, if it removes many.
    mutating func recordRemoval(by update: ObjectUpdate, from list: ObjectList) {
        removed = LargeRemoval(objects: update.changes.deletes.count, total: list.objectCount)
    }

    /// Returns the number of removed objects for the answer to a request, if the update removed many; nil for
    /// requests of other updates.
    func removal(answering id: RequestID) -> LargeRemoval? { requests.contains(id) ? removed : nil }

    /// Removes and returns the change of the objects for followers, when it is announced.
    mutating func popContent() -> PreparedTransaction.Content? {
        defer { content = nil }
        return content
    }

    /// Drops the change of an update that was refused or has nothing to announce, so that a following reload does not
    /// report it.
    mutating func dropContent() { content = nil }
}
