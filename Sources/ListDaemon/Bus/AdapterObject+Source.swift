internal import DBus
@_spi(Daemon) internal import ListKit

extension AdapterObject {
    /// Applies what the source told, and shows how it is.
    ///
    /// - Parameter completion: called when the event is applied, or with the reason why it is to be tried again.
    func apply(_ event: SourceEvent, _ completion: @escaping @DBusActor (ListError?) -> Void) {
        switch event {
        case .replace(let objects):
            lacksObjects = false
            guard isWithinLimits(objects) else { return completion(nil) }
            feed(.performUpdates(objects: objects), completion)
        case .changes(let removed, let upserts):
            guard isWithinLimits(upserts.lazy.map(\.object)) else { return completion(nil) }
            feed(.applyChanges(removed: removed, upserts: upserts), completion)
        case .failed(let error):
            sourceFailed(error)
            completion(nil)
        case .fault(let error):
            note(fault: error)
            completion(nil)
        case .ready:
            changeFilling { $0.enter(.ready) }
            completion(nil)
        case .paused:
            changeFilling { $0.enter(.paused) }
            completion(nil)
        }
    }

    /// What a plugin makes is no larger than what clients may send; one object that is fails the source.
    private func isWithinLimits(_ objects: some Sequence<ListObject>) -> Bool {
        guard case .plugin = options.source else { return true }  // others have looked while they were reading
        do throws(ListError) {
            for object in objects { try service.objectLimits.check(object) }
            return true
        } catch {
            lacksObjects = true
            sourceFailed(error)
            return false
        }
    }

    private func feed(
        _ operation: UpdateRequest.Operation, _ completion: @escaping @DBusActor (ListError?) -> Void
    ) {
        request { [weak self] outcome in
            guard let self, !isEnding else { return completion(nil) }
            switch outcome {
            case .failure(let error) where error.code == .noSuchAdapter:
                // The list is being taken away: no fault of the source, which goes on should the store refuse that.
                completion(error)
            case .success:
                changeFilling { $0.enter(.ready) }
                completion(nil)
            case .failure(let error) where error.mayPass:
                sourceFailed(error)
                completion(error)
            case .failure(let error):
                sourceFailed(error)
                completion(nil)
            }
        } _: { id in
            .update(UpdateRequest(id: id, operation: operation))
        }
    }

    /// The source has failed: said once, also when an event of it is tried again and refused again.
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
            "source \(options.source.text): \(error)", .adapter(name), .revision(status.revision),
            event: .sourceFailed, limitedBy: "source of \(name)")
    }
}

extension ListError {
    /// Whether the same thing may go well a little later.
    fileprivate var mayPass: Bool {
        switch code {
        case .storeFailed, .limitsExceeded, .revisionConflict: true
        default: false
        }
    }
}

extension Service {
    /// What the option `source` names; nil for `push`.
    ///
    /// - Throws: what is wrong with the plugin, or with the option.
    func makeSource(
        _ name: SourceName, limits: BulkReader.Limits, ways: AdapterWays
    ) async throws(ListError) -> (any Source)? {
        let feed = ways.feed
        switch name {
        case .push:
            return nil
        case .jsonl(let path):
            return try JSONLSource(path: path, limits: limits.objects, fileBytes: limits.fileBytes) { feed.take($0) }
        case .list(let base, let argument):
            let query = try DerivedQuery(parsing: argument)
            return Follower(of: base, query, directory: adapters.followers, relay: ways.relay)
        case .plugin(let plugin, let source, let argument):
            return try await plugins.source(source, of: plugin, argument: argument) { feed.take($0) }
        }
    }
}
