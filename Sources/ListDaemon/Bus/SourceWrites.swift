// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import PluginAPI

/// The clients' writes to one list's source that it has not answered.
@DBusActor
final class SourceWrites {
    /// Takes what became of a write: the list has all of it, or why not.
    typealias Completion = @DBusActor (ListError?) -> Void

    private struct Waiting {
        let bytes: Int
        let completion: Completion
    }

    /// How many may wait for one source, and with how many bytes.
    private static let most = 256
    private static let mostBytes = 64 << 20

    private var waiting: [DataSourceWrite.ID: Waiting] = [:]
    private var bytes = 0
    private var last: DataSourceWrite.ID = 0

    nonisolated init() {}

    /// Notes a write, and gives it a number.
    ///
    /// - Throws: `limitsExceeded` when too much waits for the source already.
    func begin(bytes count: Int, _ completion: @escaping Completion) throws(ListError) -> DataSourceWrite.ID {
        guard waiting.count < Self.most else {
            throw ListError(.limitsExceeded, "\(Self.most) writes wait for the source already")
        }
        guard waiting.isEmpty || bytes + count <= Self.mostBytes else {
            throw ListError(.limitsExceeded, "\(bytes) bytes of writes wait for the source already")
        }
        last += 1
        waiting[last] = Waiting(bytes: count, completion: completion)
        bytes += count
        return last
    }

    /// A write is answered; an answer to none that waits is ignored.
    func finish(_ id: DataSourceWrite.ID, _ error: ListError?) {
        guard let write = waiting.removeValue(forKey: id) else { return }
        bytes -= write.bytes
        write.completion(error)
    }

    /// The source has ended: fails the pending writes.
    func refuseAll() {
        let error = ListError(
            .sourceUnavailable, "the source ended before it answered; whether it has written is not known")
        for id in waiting.keys.sorted() { finish(id, error) }
    }
}

extension DataSourceWrite.Operation {
    /// About how many bytes of memory it takes.
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
