// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListSupport
internal import ListWorkers

// Errors are reported in the order of the contract: access, options, ReadOnly, RevisionConflict, objects. So an error
// in the objects is passed on to the engine, which checks the revision first.

// The methods that write to the list.

extension AdapterObject {
    func performUpdates(_ call: Call) throws {
        try decodeWriting(call) {
            [limits = service.limits.objects, payload = service.limits.payloadBytes, own = options.identify]
            (reader) throws(DBusError) in
            var decoder = ObjectDecoder(limits: limits, payloadBytes: payload)
            let expected = try reader.readUInt64()
            let decoded = Result { () throws(DBusError) in try decoder.objects(from: &reader) }
            let options = try UpdateOptions(from: &reader, allowing: [.animated, .duplicates, .epoch, .identify])
            let objects = Result { () throws(DBusError) in
                try decoder.identified(decoded.get(), options.identify ?? own)
            }
            let request = objects.request(expecting: expected, animated: options.animated) {
                .performUpdates(objects: $0, duplicates: options.duplicates)
            }
            return (request: request, epoch: options.epoch)
        }
    }

    func applyChanges(_ call: Call) throws {
        try decodeWriting(call) {
            [limits = service.limits.objects, payload = service.limits.payloadBytes] (reader) throws(DBusError) in
            var decoder = ObjectDecoder(limits: limits, payloadBytes: payload)
            let expected = try reader.readUInt64()
            let removed = try decoder.identifiers(from: &reader)
            let upserts = Result { () throws(DBusError) in try decoder.upserts(from: &reader) }
            let options = try UpdateOptions(from: &reader, allowing: [.animated, .epoch])
            let request = upserts.request(expecting: expected, animated: options.animated) {
                .applyChanges(removed: removed, upserts: $0)
            }
            return (request: request, epoch: options.epoch)
        }
    }

    func moveObject(_ call: Call) throws {
        try checkWritingAccess(call)
        let request = try call.message.read { [limits = service.limits.objects] (reader) throws(DBusError) in
            let (expected, id) = (try reader.readUInt64(), reader.readIdentifierResult(within: limits))
            let (word, anchor) = (try NameArgument(from: &reader).text, reader.readIdentifierResult(within: limits))
            let move = Result { () throws(DBusError) in
                (id: try id.get(), position: try UpdateRequest.Position(word: word, anchor: anchor))
            }
            return move.request(expecting: expected) { .moveObject(id: $0.id, position: $0.position) }
        }
        try checkWritable()
        update(call, request)
    }

    func patchObject(_ call: Call) throws {
        try decodeWriting(call) {
            [limits = service.limits.objects, payload = service.limits.payloadBytes] (reader) throws(DBusError) in
            var decoder = ObjectDecoder(limits: limits, payloadBytes: payload)
            let (expected, id) = (try reader.readUInt64(), reader.readIdentifierResult(within: limits))
            let set = Result { () throws(DBusError) in try decoder.fields(from: &reader) }
            let unset = try [String](from: &reader)
            let both = (try? set.get())?.filtered(to: unset).first { _ in true }
            if let both { throw .invalidArgs("unset_fields: the field \(both.key.quoted) is in set_fields too") }
            let patch = Result { () throws(DBusError) in (id: try id.get(), set: try set.get()) }
            let request = patch.request(expecting: expected) { .patchObject(id: $0.id, set: $0.set, unset: unset) }
            return (request: request, epoch: "")
        }
    }

    func reloadObjects(_ call: Call) throws {
        try checkWritingAccess(call)
        let rules = access
        try service.calls.decode(call) { (reader) throws(DBusError) in
            try [String](from: &reader)
        } then: { [self] ids in
            if access != rules { try checkWritingAccess(call) }
            update(call, UpdateRequest(id: 0, operation: .reloadObjects(ids)))
        }
    }

    /// Decodes a writing call, checks again whether its caller may write, and sends the update.
    ///
    /// - Parameter read: returns the request, and the epoch that the list must have; empty = any.
    private func decodeWriting(
        _ call: Call,
        _ read: @escaping @Sendable (inout MessageReader) throws(DBusError) -> (request: UpdateRequest, epoch: String)
    ) throws {
        try checkWritingAccess(call)
        let rules = access
        try service.calls.decode(call, read) { [self] writing in
            if access != rules { try checkWritingAccess(call) }
            try checkWritable()
            try checkEpoch(writing.epoch)
            update(call, writing.request)
        }
    }

    func reloadData(_ call: Call) throws {
        try checkWritingAccess(call)
        update(call, UpdateRequest(id: 0, animated: false, operation: .reloadData))
    }

    /// Answers `View.MoveItem`; if the section controller refuses the move, that is no error.
    func moveItem(_ call: Call, from source: IndexPath, to target: IndexPath) throws {
        try checkWritingAccess(call)
        guard options.source == .push else { throw readOnlyError }
        let request = UpdateRequest(
            id: 0, maximumObjectBytes: service.limits.objects.objectBytes,
            operation: .moveItem(from: source, to: target))
        host.update(request, by: call.peer.pluginCaller) { [self] answer, _ in
            switch answer.outcome {
            case .success(let revision):
                if !answer.isRefused { recordWrite(by: call.peer) }
                call.reply(!answer.isRefused, revision)
            case .failure(let error): call.fail(error.namingLimit)
            }
        }
    }

    /// Throws if the list is filled by a source that accepts no writes.
    func checkWritable() throws(ListError) {
        guard options.source == .push || source.writable != nil else { throw readOnlyError }
    }

    /// Throws if the list has another epoch than a write is meant for; an empty one is meant for any.
    private func checkEpoch(_ epoch: String) throws(ListError) {
        guard epoch.isEmpty || epoch == self.epoch else {
            throw ListError(
                .revisionConflict,
                "option epoch is \(epoch.quoted), but the list has the epoch \(self.epoch) now; read it again")
        }
    }

    func performUpdatesFromFile(_ call: Call) throws {
        let caller = try checkWritingAccess(call)
        let (expected, file, format, options) = try call.message.read { (reader) throws(DBusError) in
            (
                try reader.readUInt64(), try reader.readFileDescriptor(of: "file"),
                try NameArgument(from: &reader).text,
                try UpdateOptions(from: &reader, allowing: [.animated, .duplicates, .epoch, .identify])
            )
        }
        try BulkFormat.checkIsKnown(format)
        try checkWritable()
        try checkEpoch(options.epoch)
        let rules = access
        service.calls.answer(call) { [self] in
            let operation: UpdateRequest.Operation
            do throws(ListError) {
                let objects = try await service.limits.bulk.objects(
                    from: file, user: caller.user, identify: options.identify ?? self.options.identify)
                operation = .performUpdates(objects: objects, duplicates: options.duplicates)
            } catch {
                operation = .invalid(error)
            }
            if access != rules { try checkWritingAccess(call) }
            update(
                call,
                UpdateRequest(id: 0, expectedRevision: expected, animated: options.animated, operation: operation))
        }
    }

    /// Updates the list, and answers the call with the revision that contains its effect.
    private func update(_ call: Call, _ request: UpdateRequest) {
        if service.isShuttingDown {
            return call.fail(ListError.ending)
        }
        if options.source != .push, request.operation.changesObjects {
            do throws(ListError) {
                try writeToSource(call, request)
            } catch { call.fail(error) }
            return
        }
        let isFullList = if case .performUpdates = request.operation { true } else { false }
        var request = request
        request.maximumObjectBytes = service.limits.objects.objectBytes
        host.update(request) { [self, name] answer, removed in
            switch answer.outcome {
            case .success(let revision):
                service.recordWrite(call, to: self, at: revision, dropped: answer.droppedDuplicates)
                if isFullList, let removed { service.log(removed, by: call, of: name, at: revision) }
                call.reply(revision)
            case .failure(let error): call.fail(error.namingLimit)
            }
        }
    }
}

/// The formats of lists in files and pipes.
enum BulkFormat {
    /// Throws for the name of an unknown format.
    static func checkIsKnown(_ format: String) throws(ListError) {
        guard format == "jsonl" else {
            throw ListError(.invalidArguments, "format: \(format.quoted) is unknown; the only format is jsonl")
        }
    }
}

extension UpdateRequest.Operation {
    /// Whether the operation changes objects; if the list has a source, only the source may change them.
    fileprivate var changesObjects: Bool {
        switch self {
        case .performUpdates, .applyChanges, .moveObject, .patchObject, .invalid: true
        case .moveItem, .reloadObjects, .reloadData, .configure: false
        }
    }
}

extension Result where Failure == DBusError {
    /// Returns a request made from the decoded value, or one that reports the decoding error. The list gives it its
    /// number.
    fileprivate func request(
        expecting revision: UInt64, animated: Bool = true, _ make: (Success) -> UpdateRequest.Operation
    ) -> UpdateRequest {
        let operation: UpdateRequest.Operation =
            switch self {
            case .success(let value): make(value)
            case .failure(let error): .invalid(ListError(error))
            }
        return UpdateRequest(id: 0, expectedRevision: revision, animated: animated, operation: operation)
    }
}

extension ListError {
    /// The error with the key of the exceeded limit, which the engine does not know.
    fileprivate var namingLimit: ListError {
        guard code == .payloadTooLarge, LimitKey(namedAtEndOf: message) == nil else { return self }
        return LimitKey.objectBytes.refusal(code, message, cause: cause)
    }

    /// The error for a presenter's answer of the wrong kind.
    static let unexpectedAnswer = ListError(.pluginFailed, "the host of the adapter gave an answer of the wrong kind")
}
