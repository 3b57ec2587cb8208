// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListSupport
internal import ListWorkers
@_spi(Daemon) internal import PluginAPI

// The events of a list's source, which are applied to the list.

extension AdapterObject {
    private var intake: SourceIntake { source.intake }

    /// Applies an event of the source, and updates the list's loading state.
    ///
    /// - Parameters:
    ///   - progress: how far the source has read, including the event; nil = unknown.
    ///   - completion: called when the event is applied, or with the error because of which it must be retried.
    func apply(
        _ event: SourceEvent, upTo progress: DataSourceProgress? = nil,
        _ completion: @escaping @DBusActor (ListError?) -> Void
    ) {
        if let fault = progress?.fault {
            failLackingObjects(fault)
            return completion(nil)
        }
        switch event {
        case .upTo(let progress, let event): return apply(event, upTo: progress, completion)
        case .replace(let objects):
            intake.dropPages()
            return replace(with: objects, upTo: progress, completion)
        case .replacementEnded:
            guard let objects = intake.wholeList else { return completion(nil) }
            return replace(with: objects, upTo: progress) { [intake] error in
                if error == nil { intake.dropPages() }
                completion(error)
            }
        case .changes(let removed, let upserts):
            guard checkSizes(of: upserts.lazy.map(\.object)) else { return completion(nil) }
            return sendToHost(.applyChanges(removed: removed, upserts: upserts), upTo: progress, completion)
        case .replacementBegan: intake.beginReplacement()
        case .page(let objects): add(page: objects)
        case .replacementAbandoned: intake.dropPages()
        case .failed(let error):
            intake.dropPages()
            fail(error)
        case .fault(let error): record(fault: error)
        case .ready:
            changeFilling { $0.setState(.ready) }
            intake.didApply(
                intake.makeRecord(after: progress, isWhole: false, lacksObjects: filling.lacksObjects))
        case .written(let id, let error): intake.writes.finish(id, error: error)
        case .paused:
            intake.handleSourceEnd()
            changeFilling { $0.setState(.paused) }
        }
        completion(nil)
    }

    private func replace(
        with objects: [ListObject], upTo progress: DataSourceProgress?,
        _ completion: @escaping @DBusActor (ListError?) -> Void
    ) {
        changeFilling { $0.setLacksObjects(false) }
        guard checkSizes(of: objects) else { return completion(nil) }
        sendToHost(.performUpdates(objects: objects), upTo: progress, isWhole: true, completion)
    }

    private func add(page: [ListObject]) {
        guard checkSizes(of: page) else { return intake.dropPages() }
        do throws(ListError) {
            try intake.add(page, within: access.isConfigured ? .unlimited : service.limits.quotas.limits)
        } catch {
            failLackingObjects(error)
        }
    }

    /// Returns whether a plugin's objects are within the limits of clients' objects. If they are not, the list fails.
    private func checkSizes(of objects: some Sequence<ListObject>) -> Bool {
        // Built-in sources check the limits while they read.
        guard case .plugin = options.source else { return true }
        do throws(ListError) {
            for object in objects { try service.limits.objects.check(object) }
            return true
        } catch {
            failLackingObjects(error)
            return false
        }
    }

    /// Records that the list lacks objects of the source, and makes the list fail.
    private func failLackingObjects(_ error: ListError) {
        changeFilling { $0.setLacksObjects(true) }
        intake.forgetCursor()
        fail(error)
    }

    /// Sends the change of an event to the host, and records the outcome.
    private func sendToHost(
        _ operation: UpdateRequest.Operation, upTo progress: DataSourceProgress?, isWhole: Bool = false,
        _ completion: @escaping @DBusActor (ListError?) -> Void
    ) {
        let record = intake.makeRecord(after: progress, isWhole: isWhole, lacksObjects: filling.lacksObjects)
        intake.willApply()
        let request = UpdateRequest(id: 0, cursor: record.bytes, operation: operation)
        host.update(request) { [weak self, intake] answer, removed in
            guard let self else { return completion(nil) }
            guard !isEnding else {
                // The store has the content of this record, even though the list is ending.
                if case .success = answer.outcome { intake.didApply(record) } else { intake.didNotApply() }
                return completion(nil)
            }
            switch answer.outcome {
            case .failure(let error) where error.code == .noSuchAdapter:
                // The list is being removed, which is no error of the source. The source continues if the store
                // refuses the removal.
                intake.didNotApply()
                completion(error)
            case .success(let revision):
                intake.didApply(record, removed: removed)
                report(answer.droppedDuplicates, [.revision(revision)])
                changeFilling { $0.setState(.ready) }
                completion(nil)
            case .failure(let error) where error.isTemporary:
                intake.didNotApply()
                fail(error)
                completion(error)
            case .failure(let error):
                intake.didNotApply()
                intake.forgetCursor()
                fail(error)
                completion(nil)
            }
        }
    }

    /// Marks the list as failed. The reason is logged once, even if an event is retried and refused again.
    func fail(_ error: ListError) {
        let reason = error.propertyText
        guard filling.failure != reason else { return }
        let subject = "source \(options.source.text)"
        if error.code == .limitsExceeded {
            let limit = service.calls.refusals.record(
                error, of: subject, user: access.owner, .adapter(name),
                .revision(status.revision), event: .sourceFailed)
            service.counts.countRefusal(by: limit)
        } else {
            logWarning(error)
        }
        changeFilling { $0.fail(reason) }
    }

    /// Records an error in part of the source, while the list is filled with the rest; nil = the whole source can be
    /// read.
    private func record(fault: ListError?) {
        let reason = fault?.propertyText ?? ""
        guard filling.fault != reason else { return }
        if let fault { logWarning(fault) }
        changeFilling { $0.setFault(reason) }
    }

    private func logWarning(_ error: ListError) {
        service.log.warning(
            "source \(options.source.text): \(error.reason)", .adapter(name),
            .revision(status.revision), event: .sourceFailed, limitedBy: "source of \(name)")
    }
}

extension ListError {
    /// Whether a retry may succeed a little later.
    fileprivate var isTemporary: Bool { [.storeFailed, .limitsExceeded, .revisionConflict].contains(code) }
}
