// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import PluginAPI

/// The clients' writes to one list's source that the source has not answered.
@DBusActor
final class SourceWrites {
    /// Receives the outcome of a write: nil if the list has all of it, otherwise the error.
    typealias Completion = @DBusActor (ListError?) -> Void

    private struct Waiting {
        let bytes: Int
        let completion: Completion
    }

    /// The maximum number and bytes of writes that wait for one source.
    private static let most = 256
    private static let mostBytes = 64 << 20

    private var waiting: [DataSourceWrite.ID: Waiting] = [:]
    private var bytes = 0
    private var last: DataSourceWrite.ID = 0

    nonisolated init() {}

    /// Registers a write, and returns its number.
    ///
    /// - Throws: `limitsExceeded` if too much is waiting for the source already.
    func begin(bytes count: Int, _ completion: @escaping Completion) throws(ListError) -> DataSourceWrite.ID {
        guard waiting.count < Self.most else {
            throw ListError(.limitsExceeded, "the source already has \(Self.most) pending writes")
        }
        guard waiting.isEmpty || bytes + count <= Self.mostBytes else {
            throw ListError(.limitsExceeded, "the source already has \(bytes) bytes of pending writes")
        }
        last += 1
        waiting[last] = Waiting(bytes: count, completion: completion)
        bytes += count
        return last
    }

    /// Completes a write with the source's answer; unknown numbers are ignored.
    func finish(_ id: DataSourceWrite.ID, error: ListError?) {
        guard let write = waiting.removeValue(forKey: id) else { return }
        bytes -= write.bytes
        write.completion(error)
    }

    /// Refuses all pending writes, because the source has ended.
    func refuseAll() {
        let error = ListError(
            .sourceUnavailable, "the source ended before it answered; the outcome of the write is unknown")
        for id in waiting.keys.sorted() { finish(id, error: error) }
    }
}

extension DataSourceWrite.Operation {
    /// The approximate bytes of the operation in memory.
    var byteCount: Int {
        switch self {
        case .replace(let objects): objects.reduce(0) { $0 + $1.byteCount }
        case .changes(let removed, let upserts):
            removed.reduce(0) { $0 + $1.utf8.count } + upserts.reduce(0) { $0 + $1.object.byteCount }
        case .move(let id, _): id.utf8.count
        case .patch(let id, let set, let unset):
            id.utf8.count + set.byteCount + unset.reduce(0) { $0 + $1.utf8.count }
        @unknown default: 0
        }
    }
}
