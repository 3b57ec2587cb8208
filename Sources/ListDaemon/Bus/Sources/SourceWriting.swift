// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListWorkers
internal import PluginAPI

// Clients' writes to a list whose source accepts writes. They are sent to the source, and come back as its events.

extension AdapterObject {
    /// Sends a write to the source. The call is answered with the revision that contains the write.
    ///
    /// Errors are reported in the same order as for a pushed list: the revision, then the objects.
    func writeToSource(_ call: Call, _ request: UpdateRequest) throws(ListError) {
        let expected = request.expectedRevision
        guard expected == 0 || expected == status.revision else {
            throw ListError(
                .revisionConflict, "expected_revision is \(expected), but the list is at \(status.revision)")
        }
        let isConditional = expected != 0
        switch request.operation {
        case .performUpdates(let objects, let duplicates):
            let unique = try duplicates.apply(to: objects)
            try sendToSource(
                .replace(unique.objects), isConditional: isConditional, for: call, isFullList: true,
                dropped: unique.dropped)
        case .applyChanges(let removed, let upserts):
            try sendToSource(.changes(removed: removed, upserts: upserts), isConditional: isConditional, for: call)
        case .moveObject(let id, let position):
            try sendToSource(.move(id: id, position: position), isConditional: isConditional, for: call)
        case .patchObject(let id, let set, let unset):
            patch(call, id: id, set: set, unset: unset, isConditional: isConditional)
        case .invalid(let error): throw error
        case .moveItem, .reloadObjects, .reloadData, .configure:
            throw readOnlyError
        }
    }

    /// Checks the size of the patched object before the patch is sent, because an object above the limits would make
    /// the whole list fail.
    private func patch(_ call: Call, id: String, set: Fields, unset: [String], isConditional: Bool) {
        host.readObject(id) { [self] outcome in
            do throws(ListError) {
                let object = try outcome.get().object
                try service.limits.objects.check(
                    try object.with(fields: object.fields.patched(set: set, unset: unset)))
                try sendToSource(.patch(id: id, set: set, unset: unset), isConditional: isConditional, for: call)
            } catch {
                call.fail(error)
            }
        }
    }

    /// Sends a write to the source, and answers the call when the source has answered.
    ///
    /// - Parameter isConditional: whether the source must refuse the write if the source has changed since its last
    ///   event.
    private func sendToSource(
        _ operation: DataSourceWrite.Operation, isConditional: Bool, for call: Call, isFullList: Bool = false,
        dropped: DroppedDuplicates = DroppedDuplicates()
    ) throws(ListError) {
        guard let source = source.writable else {
            throw ListError(.sourceUnavailable, "adapter \(name.quoted) has no source at present")
        }
        let intake = self.source.intake
        let id = try intake.writes.begin(bytes: operation.byteCount) { [self] error in
            let removed = intake.popRemoval()
            if let error { return call.fail(error) }
            service.recordWrite(call, to: self, at: status.revision, dropped: dropped)
            if isFullList, let removed { service.log(removed, by: call, of: name, at: status.revision) }
            call.reply(status.revision)
        }
        source.write(
            DataSourceWrite(
                id: id, operation: operation, isConditional: isConditional,
                cursor: intake.sourceState.cursor, user: call.peer.pluginCaller)
        ) { [writes = intake.writes] error in
            EventLoop.shared.post { writes.finish(id, error: error) }
        }
    }
}

/// The clients' writes to one list's source that the source has not answered.
@DBusActor
final class SourceWrites {
    /// Receives the outcome of a write: nil if the list has all of it, otherwise the error.
    typealias Completion = @DBusActor (ListError?) -> Void

    /// The maximum number and bytes of writes that wait for one source.
    private static let most = 256
    private static let mostBytes = 64 << 20

    private var waiting: [DataSourceWrite.ID: (bytes: Int, completion: Completion)] = [:]
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
        waiting[last] = (count, completion)
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
