// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// An update of a list on its way from the store to being announced.
struct UpdateUnderWay {
    /// The requests that are answered with it.
    let requests: [RequestID]
    /// Whether to open and to present it takes microseconds.
    let isLight: Bool
    /// What becomes of the objects, until it is announced or given up.
    private var content: PreparedTransaction.Content?
    private var removed: LargeRemoval?

    /// No update is in progress.
    init() { (requests, isLight) = ([], true) }

    /// Something is to be stored.
    init(_ work: StoreWork) {
        requests = work.requests
        content = work.content
        isLight = content?.isLight ?? true
    }

    /// Notes what is taken away if that is much, from a list as it was.
    mutating func noteRemoval(by update: ObjectUpdate, from list: ObjectList) {
        removed = LargeRemoval(objects: update.changes.deletes.count, total: list.objectCount)
    }

    /// What was taken away if that is much, for the answer to a request; nil for requests of other updates.
    func removal(answering id: RequestID) -> LargeRemoval? { requests.contains(id) ? removed : nil }

    /// What becomes of the objects, for those who follow them; it is announced now.
    mutating func popContent() -> PreparedTransaction.Content? {
        defer { content = nil }
        return content
    }

    /// It is refused, or has nothing to announce: a reload that comes next is not about it.
    mutating func giveUp() { content = nil }
}
