internal import DBus
@_spi(Daemon) internal import ListKit

// Faults are reported in the contract's order: access, options, ReadOnly, RevisionConflict, objects. So a fault in the
// objects is kept and goes to the engine, which compares the revision first.

extension AdapterObject {
    func performUpdates(_ call: Call) throws {
        try checkWritingAccess(call)
        var decoder = ObjectDecoder(limits: service.objectLimits, payloadBytes: service.payloadBytes)
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
        var decoder = ObjectDecoder(limits: service.objectLimits, payloadBytes: service.payloadBytes)
        let (expected, removed, upserts, options) = try call.message.read { (reader) throws(DBusError) in
            let expected = try reader.readUInt64()
            let removed = try decoder.identifiers(from: &reader)
            let upserts = Result { () throws(DBusError) in try decoder.upserts(from: &reader) }
            return (expected, removed, upserts, try UpdateOptions(from: &reader, allowing: [.animated]))
        }
        try checkWritable()
        let operation = upserts.operation { .applyChanges(removed: removed, upserts: $0) }
        update(call, expecting: expected, animated: options.animated, operation)
    }

    func moveObject(_ call: Call) throws {
        try checkWritingAccess(call)
        let (expected, move) = try call.message.read { [limits = service.objectLimits] (reader) throws(DBusError) in
            let (expected, id) = (try reader.readUInt64(), reader.identifier(within: limits))
            let (word, anchor) = (try NameArgument(from: &reader).text, reader.identifier(within: limits))
            let move = Result { () throws(DBusError) in
                (id: try id.get(), position: try UpdateRequest.Position(word: word, anchor: anchor))
            }
            return (expected, move)
        }
        try checkWritable()
        let operation = move.operation { .moveObject(id: $0.id, position: $0.position) }
        update(call, expecting: expected, operation)
    }

    func patchObject(_ call: Call) throws {
        try checkWritingAccess(call)
        var decoder = ObjectDecoder(limits: service.objectLimits, payloadBytes: service.payloadBytes)
        let (expected, patch) = try call.message.read { [limits = service.objectLimits] (reader) throws(DBusError) in
            let (expected, id) = (try reader.readUInt64(), reader.identifier(within: limits))
            let set = Result { () throws(DBusError) in try decoder.fields(from: &reader) }
            let unset = try [String](from: &reader)
            return (expected, Result { () throws(DBusError) in (id: try id.get(), set: try set.get(), unset: unset) })
        }
        try checkWritable()
        let operation = patch.operation { .patchObject(id: $0.id, set: $0.set, unset: $0.unset) }
        update(call, expecting: expected, operation)
    }

    func reloadObjects(_ call: Call) throws {
        try checkWritingAccess(call)
        update(call, .reloadObjects(try call.arguments(as: [String].self)))
    }

    func reloadData(_ call: Call) throws {
        try checkWritingAccess(call)
        update(call, animated: false, .reloadData)
    }

    /// `View.MoveItem`: a refusal is no error.
    func moveItem(_ call: Call, from source: IndexPath, to target: IndexPath) throws {
        try checkWritingAccess(call)
        guard options.source == .push else { throw isReadOnly }
        request(by: call.peer.pluginCaller) { outcome in
            call.answer(outcome) { answer, writer in
                guard case .revision(let revision, _, let isRefused, _) = answer else { return false }
                writer.append(!isRefused)
                writer.append(revision)
                return true
            }
        } _: { id in
            .update(UpdateRequest(id: id, operation: .moveItem(from: source, to: target)))
        }
    }

    /// Refuses callers that may not write, and everybody once the end was asked for.
    @discardableResult
    func checkWritingAccess(_ call: Call) throws(ListError) -> Caller {
        try service.checkWriting()
        try checkPresent()
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        guard access.allowsWriting(caller) else {
            throw ListError(
                .accessDenied, "user \(caller.user) may not write to adapter \(name.quoted)")
        }
        return caller
    }

    /// Refuses lists that are filled by a source which takes no writes.
    func checkWritable() throws(ListError) {
        guard options.source == .push || writableSource != nil else { throw isReadOnly }
    }

    /// The error of writes to a list that is filled by a source.
    var isReadOnly: ListError {
        ListError(.readOnly, "adapter \(name.quoted) is filled by \(options.source.text)")
    }

    /// Queues a request and answers the call with the revision that contains its effect.
    func update(
        _ call: Call, expecting expected: UInt64 = 0, animated: Bool = true, _ operation: UpdateRequest.Operation
    ) {
        if service.phase != .running {
            return call.fail(ListError.ending)
        }
        if options.source != .push, operation.changesObjects {
            do throws(ListError) { try writeToSource(call, expecting: expected, operation) } catch { call.fail(error) }
            return
        }
        let isFullList = if case .performUpdates = operation { true } else { false }
        request { [service, name] outcome in
            switch outcome {
            case .success(.revision(let revision, let dropped, _, let removed)):
                service.noteWriting(call, to: name, at: revision, dropped: dropped)
                if isFullList, let removed { service.log(removed, by: call, of: name, at: revision) }
                call.reply(revision)
            case .success: call.fail(ListError.unexpectedAnswer)
            case .failure(let error): call.fail(error.namingLimit)
            }
        } _: { id in
            .update(
                UpdateRequest(
                    id: id, expectedRevision: expected, animated: animated,
                    maximumObjectBytes: service.objectLimits.objectBytes, operation: operation))
        }
    }
}

extension Service {
    /// Says that a full list took much away: who looks for lost objects finds who has replaced them.
    func log(_ removed: LargeRemoval, by call: Call, of adapter: String, at revision: UInt64) {
        let origin = Origin(call.peer)
        log.write(
            .info,
            {
                "\(call.member) by \(origin.text) is in revision \(revision) of adapter \(adapter.debugDescription), "
                    + "which took away \(removed.objects) of \(removed.total) objects"
            }, origin.fields + [.adapter(adapter), .revision(revision)],
            limitedBy: "objects taken away by \(call.peer.userText)")
    }

    /// Says what a call did, and counts objects that were dropped.
    func noteWriting(_ call: Call, to adapter: String, at revision: UInt64, dropped: Int) {
        if log.level >= .debug {
            log.debug(
                "\(call.member) is in revision \(revision)", .adapter(adapter), .client(call.peer.name),
                .revision(revision), limitedBy: call.peer.userText)
        }
        guard dropped > 0 else { return }
        statistics.add(.duplicatesDropped, dropped)
        log.warning(
            "dropped \(dropped) objects whose identifiers occurred before", .adapter(adapter),
            .client(call.peer.name), .revision(revision), limitedBy: call.peer.userText)
    }
}

extension UpdateRequest.Operation {
    /// Whether it gives the list other objects: of a list with a source only the source does that.
    fileprivate var changesObjects: Bool {
        switch self {
        case .performUpdates, .applyChanges, .moveObject, .patchObject, .invalid: true
        case .moveItem, .reloadObjects, .reloadData, .configure: false
        }
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
    /// The error with the key of its limit: the engine knows what it was given for an object, not what that is called.
    fileprivate var namingLimit: ListError {
        guard code == .payloadTooLarge, LimitKey(namedAtEndOf: message) == nil else { return self }
        return LimitKey.objectBytes.refusal(code, message, cause: cause)
    }

    /// A host answered something that does not fit the question.
    static let unexpectedAnswer = ListError(.pluginFailed, "the host of the adapter gave an answer that does not fit")
}
