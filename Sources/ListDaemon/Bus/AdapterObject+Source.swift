// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListSupport
internal import ListWorkers
@_spi(Daemon) internal import PluginAPI

extension AdapterObject {
    /// Applies what the source told, and shows how it is.
    ///
    /// - Parameters:
    ///   - progress: how far the source has read with it; nil = it says nothing of that.
    ///   - completion: called when the event is applied, or with the reason why it is to be tried again.
    func apply(
        _ event: SourceEvent, upTo progress: DataSourceProgress? = nil,
        _ completion: @escaping @DBusActor (ListError?) -> Void
    ) {
        if let fault = progress?.fault {
            refuse(fault)
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
            guard isWithinLimits(upserts.lazy.map(\.object)) else { return completion(nil) }
            return feed(.applyChanges(removed: removed, upserts: upserts), upTo: progress, completion)
        case .replacementBegan: intake.beginReplacement()
        case .page(let objects): add(page: objects)
        case .replacementAbandoned: intake.dropPages()
        case .failed(let error):
            intake.dropPages()
            sourceFailed(error)
        case .fault(let error): note(fault: error)
        case .ready:
            changeFilling { $0.enter(.ready) }
            intake.didApply(intake.record(after: progress, isWhole: false, lacksObjects: lacksObjects))
        case .written(let id, let error): intake.writes.finish(id, error)
        case .paused:
            intake.sourceEnded()
            changeFilling { $0.enter(.paused) }
        }
        completion(nil)
    }

    private func replace(
        with objects: [ListObject], upTo progress: DataSourceProgress?,
        _ completion: @escaping @DBusActor (ListError?) -> Void
    ) {
        setLacksObjects(false)
        guard isWithinLimits(objects) else { return completion(nil) }
        feed(.performUpdates(objects: objects), upTo: progress, isWhole: true, completion)
    }

    private func add(page: [ListObject]) {
        guard isWithinLimits(page) else { return intake.dropPages() }
        do throws(ListError) {
            try intake.add(page, within: access.isConfigured ? .unlimited : service.quotas.limits)
        } catch {
            refuse(error)
        }
    }

    /// What a plugin makes is no larger than what clients may send; one object that is fails the source.
    private func isWithinLimits(_ objects: some Sequence<ListObject>) -> Bool {
        guard case .plugin = options.source else { return true }  // others have looked while they were reading
        do throws(ListError) {
            for object in objects { try service.objectLimits.check(object) }
            return true
        } catch {
            refuse(error)
            return false
        }
    }

    /// The list does not take what the source told, and lacks it.
    private func refuse(_ error: ListError) {
        setLacksObjects(true)
        intake.forgetCursor()
        sourceFailed(error)
    }

    private func feed(
        _ operation: UpdateRequest.Operation, upTo progress: DataSourceProgress?, isWhole: Bool = false,
        _ completion: @escaping @DBusActor (ListError?) -> Void
    ) {
        let record = intake.record(after: progress, isWhole: isWhole, lacksObjects: lacksObjects)
        request { [weak self] outcome in
            guard let self else { return completion(nil) }
            guard !isEnding else {
                // What the store has belongs to this record, whoever still listens.
                if case .success = outcome { intake.didApply(record) }
                return completion(nil)
            }
            switch outcome {
            case .failure(let error) where error.code == .noSuchAdapter:
                // The list is being taken away: no fault of the source, which goes on should the store refuse that.
                intake.didNotApply()
                completion(error)
            case .success(let answer):
                intake.didApply(record, removed: answer.largeRemoval)
                changeFilling { $0.enter(.ready) }
                completion(nil)
            case .failure(let error) where error.mayPass:
                intake.didNotApply()
                sourceFailed(error)
                completion(error)
            case .failure(let error):
                intake.didNotApply()
                intake.forgetCursor()
                sourceFailed(error)
                completion(nil)
            }
        } _: { [intake] id in
            intake.willApply(record, with: id)
            return .update(UpdateRequest(id: id, operation: operation))
        }
    }

    /// The source has failed: logged once, also when an event of it is tried again and refused again.
    func sourceFailed(_ error: ListError) {
        let reason = error.propertyText
        guard filling.failure != reason else { return }
        let subject = "source \(options.source.text)"
        if error.code == .limitsExceeded {
            service.noteRefusal(
                service.refusals.record(
                    error, of: subject, user: access.owner, .adapter(name), .revision(status.revision),
                    event: .sourceFailed))
        } else {
            warn(of: error)
        }
        changeFilling { $0.fail(reason) }
    }

    /// Something of the source cannot be read, and the list is filled with the rest; nil = all of it can.
    private func note(fault: ListError?) {
        let reason = fault?.propertyText ?? ""
        guard filling.fault != reason else { return }
        if let fault { warn(of: fault) }
        changeFilling { $0.setFault(reason) }
    }

    private func warn(of error: ListError) {
        service.log.warning(
            "source \(options.source.text): \(error.reason)", .adapter(name), .revision(status.revision),
            event: .sourceFailed, limitedBy: "source of \(name)")
    }
}

extension AdapterAnswer {
    /// What the revision that answers a write took away, if that was much.
    fileprivate var largeRemoval: LargeRemoval? {
        if case .revision(_, _, _, let removed) = self { removed } else { nil }
    }
}

extension ListError {
    /// Whether the same thing may go well a little later.
    fileprivate var mayPass: Bool { [.storeFailed, .limitsExceeded, .revisionConflict].contains(code) }
}

extension Service {
    /// What the option `source` names; nil for `push`.
    ///
    /// - Throws: what is wrong with the plugin, or with the option.
    func makeSource(
        _ name: SourceName, limits: BulkReader.Limits, relays: AdapterRelays
    ) async throws(ListError) -> (any Source)? {
        let feed = relays.feed
        switch name {
        case .push:
            return nil
        case .builtIn(let kind, let argument):
            let context = BuiltInSource.Context(limits: limits.objects, fileBytes: limits.fileBytes) { feed.take($0) }
            return try kind.makeSource(argument, context)
        case .list(let base, let argument):
            let query = try DerivedQuery(parsing: argument)
            return Follower(of: base, query, directory: adapters.followers, relay: relays.adapter)
        case .plugin(let plugin, let source, let argument):
            return try await plugins.source(source, of: plugin, argument: argument) { feed.take($0) }
        }
    }
}
