// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListWorkers
internal import PluginAPI

/// What clients write to a list whose source takes writes: it goes to the source, and comes back as what the source tells.
@DBusActor
struct SourceWriting {
    let adapter: AdapterObject
    private var service: Service { adapter.service }

    /// Has the source write what a call asks for; the call is answered with the revision that contains it.
    ///
    /// Faults are reported in the order of a list that is pushed: the revision, then the objects.
    func write(
        _ call: Call, expecting expected: UInt64, _ operation: UpdateRequest.Operation
    ) throws(ListError) {
        guard expected == 0 || expected == adapter.status.revision else {
            throw ListError(
                .revisionConflict, "expected_revision \(expected): the list is at \(adapter.status.revision)")
        }
        let isConditional = expected != 0
        switch operation {
        case .performUpdates(let objects, let duplicates):
            let unique = try objects.withoutDuplicates(duplicates)
            let dropped = objects.count - unique.count
            try send(.replace(unique), isConditional, for: call, isFullList: true, dropped: dropped)
        case .applyChanges(let removed, let upserts):
            try send(.changes(removed: removed, upserts: upserts), isConditional, for: call)
        case .moveObject(let id, let position):
            try send(.move(id: id, position: position), isConditional, for: call)
        case .patchObject(let id, let set, let unset): patch(call, id, set, unset, isConditional)
        case .invalid(let error): throw error
        case .moveItem, .reloadObjects, .reloadData, .configure:
            throw adapter.isReadOnly
        }
    }

    /// What becomes of the object must not be larger than the source may tell: that would fail the whole list.
    private func patch(_ call: Call, _ id: String, _ set: Fields, _ unset: [String], _ isConditional: Bool) {
        adapter.request { outcome in
            do throws(ListError) {
                guard case .object(_, _, let object) = try outcome.get() else { throw ListError.unexpectedAnswer }
                try service.limits.objects.check(
                    try object.with(fields: object.fields.patched(set: set, unset: unset)))
                try send(.patch(id: id, set: set, unset: unset), isConditional, for: call)
            } catch {
                call.fail(error)
            }
        } _: { request in
            .query(request, .find(id: id))
        }
    }

    private func send(
        _ operation: DataSourceWrite.Operation, _ isConditional: Bool, for call: Call, isFullList: Bool = false,
        dropped: Int = 0
    ) throws(ListError) {
        guard let source = adapter.source.writable else {
            throw ListError(.sourceUnavailable, "adapter \(adapter.name.quoted) has no source for now")
        }
        let writes = adapter.source.intake.writes
        let id = try writes.begin(bytes: operation.byteCount) { [adapter, service] error in
            let removed = adapter.source.intake.popRemoval()
            if let error { return call.fail(error) }
            service.noteWriting(call, to: adapter.name, at: adapter.status.revision, dropped: dropped)
            if isFullList, let removed { service.log(removed, by: call, of: adapter.name, at: adapter.status.revision) }
            call.reply(adapter.status.revision)
        }
        source.write(
            DataSourceWrite(
                id: id, operation: operation, isConditional: isConditional,
                cursor: adapter.source.intake.sourceState.cursor,
                user: call.peer.pluginCaller)
        ) { error in
            EventLoop.shared.post { writes.finish(id, error) }
        }
    }
}

extension [ListObject] {
    /// The objects without those whose identifiers occurred before.
    ///
    /// - Throws: `duplicateIdentifier` when these are an error.
    fileprivate func withoutDuplicates(_ policy: UpdateRequest.DuplicatePolicy) throws(ListError) -> [ListObject] {
        var seen: Set<ExactText> = []
        seen.reserveCapacity(count)
        var unique: [ListObject] = []
        unique.reserveCapacity(count)
        for object in self {
            if seen.insert(ExactText(object.id)).inserted {
                unique.append(object)
            } else if policy == .fail {
                throw ListError(.duplicateIdentifier, "objects: \(object.id.quoted) occurs twice")
            }
        }
        return unique
    }
}
