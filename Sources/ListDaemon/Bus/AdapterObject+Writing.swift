internal import DBus
@_spi(Daemon) internal import ListKit

// Faults are reported in the contract's order: access, options, ReadOnly, RevisionConflict, objects. So a fault in the
// objects is kept and goes to the engine, which compares the revision first.

extension AdapterObject {
    func performUpdates(_ call: Call) throws {
        try checkWritingAccess(call)
        var decoder = ObjectDecoder(limits: service.payloadLimits)
        let (expected, objects, options) = try call.message.read { (reader) throws(DBusError) in
            let expected = try reader.readUInt64()
            let objects = Result { () throws(DBusError) in try decoder.objects(from: &reader) }
            return (expected, objects, try UpdateOptions(from: &reader, allowing: [.animated, .duplicates]))
        }
        try checkWritable()
        let operation = objects.operation { .performUpdates(objects: $0, duplicates: options.duplicates) }
        update(call, expecting: expected, animated: options.animated, operation)
    }

    func applyChanges(_ call: Call) throws {
        try checkWritingAccess(call)
        var decoder = ObjectDecoder(limits: service.payloadLimits)
        let (expected, removed, upserts, options) = try call.message.read { (reader) throws(DBusError) in
            let expected = try reader.readUInt64()
            let removed = try [String](from: &reader)
            let upserts = Result { () throws(DBusError) in try decoder.upserts(from: &reader) }
            return (expected, removed, upserts, try UpdateOptions(from: &reader, allowing: [.animated]))
        }
        try checkWritable()
        let operation = upserts.operation { .applyChanges(removed: removed, upserts: $0) }
        update(call, expecting: expected, animated: options.animated, operation)
    }

    func reloadObjects(_ call: Call) throws {
        try checkWritingAccess(call)
        update(call, .reloadObjects(try call.arguments(as: [String].self)))
    }

    func reloadData(_ call: Call) throws {
        try checkWritingAccess(call)
        update(call, animated: false, .reloadData)
    }

    private func checkWritingAccess(_ call: Call) throws(ListError) {
        try service.checkWriting()
        let caller = try service.authority.caller(call.peer)
        guard access.allowsWriting(caller) else {
            throw ListError(
                .accessDenied, "user \(caller.user) may not write to adapter \(name.debugDescription)")
        }
    }

    private func checkWritable() throws(ListError) {
        guard options.source == .push else {
            throw ListError(.readOnly, "adapter \(name.debugDescription) is filled by \(options.source.text)")
        }
    }

    /// Queues a request and answers the call with the revision that contains its effect.
    private func update(
        _ call: Call, expecting expected: UInt64 = 0, animated: Bool = true, _ operation: UpdateRequest.Operation
    ) {
        request { [service, name] outcome in
            switch outcome {
            case .success(.revision(let revision, let dropped)):
                service.noteDuplicates(dropped, in: name, from: call.peer)
                call.reply(revision)
            case .success: call.fail(ListError.unexpectedAnswer)
            case .failure(let error): call.fail(error)
            }
        } _: { id in
            .update(
                UpdateRequest(id: id, expectedRevision: expected, animated: animated, operation: operation))
        }
    }
}

extension Service {
    /// Counts objects that were dropped, and says so.
    fileprivate func noteDuplicates(_ count: Int, in adapter: String, from peer: Peer) {
        guard count > 0 else { return }
        statistics.add(.duplicatesDropped, count)
        log.warning(
            "dropped \(count) objects whose identifiers occurred before", .adapter(adapter), .client(peer.name),
            limitedBy: peer.name)
    }
}

extension Result where Failure == DBusError {
    /// The operation made from what was read, or the one that reports why it could not be read.
    fileprivate func operation(
        _ make: (Success) -> UpdateRequest.Operation
    ) -> UpdateRequest.Operation {
        switch self {
        case .success(let value): make(value)
        case .failure(let error): .invalid(ListError(error))
        }
    }
}

extension ListError {
    /// A host answered something that does not fit the question.
    static let unexpectedAnswer = ListError(.pluginFailed, "the host of the adapter gave an answer that does not fit")
}
