// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListWorkers

/// The methods of an adapter that read the list.
@DBusActor
struct AdapterReading {
    let adapter: AdapterObject
    private var service: Service { adapter.service }

    func getObjects(_ call: Call) throws {
        try adapter.checkReadingAccess(call)
        let (offset, limit) = try call.arguments(as: UInt32.self, UInt32.self)
        answer(
            call, with: .objects(offset: Int(offset), limit: Int(limit), byteLimit: AdapterObject.pageBytes),
            size: byteCount(ofObjects: limit)
        ) { [epoch = adapter.epoch] answer, writer in
            guard case .objects(let revision, let total, let objects) = answer else { return false }
            writer.append(epoch)
            writer.append(revision)
            writer.append(UInt32(clamping: total))
            writer.append(objects)
            return true
        }
    }

    func findObject(_ call: Call) throws {
        try adapter.checkReadingAccess(call)
        let id = try call.message.read { [limits = service.limits.objects] (reader) throws(DBusError) in
            try reader.readIdentifier(within: limits)
        }
        answer(call, with: .find(id: id), size: 0) { answer, writer in
            guard case .object(let revision, let section, let object) = answer else { return false }
            writer.append(revision)
            writer.append(UInt32(clamping: section))
            writer.append(object.type)
            writer.append(object.fields)
            return true
        }
    }

    func getItems(_ call: Call) throws {
        try adapter.checkReadingAccess(call)
        try service.calls.decode(call) { [bytes = AdapterObject.pageBytes] (reader) throws(DBusError) in
            AdapterQuery.items(
                firstSection: Int(try reader.readUInt32()), sectionCount: Int(try reader.readUInt32()),
                byteLimit: bytes, fields: try [String](from: &reader))
        } then: { query in
            guard case .items(_, let count, _, _) = query else { return }
            answer(call, with: query, size: byteCount(ofObjects: UInt32(clamping: count))) { answer, writer in
                guard case .items(let revision, let next, let items) = answer else { return false }
                writer.append(revision)
                writer.append(UInt32(clamping: next))
                writer.append(items)
                return true
            }
        }
    }

    func getItemCounts(_ call: Call) throws {
        try adapter.checkReadingAccess(call)
        let (first, count) = try call.arguments(as: UInt32.self, UInt32.self)
        let limit = min(Int(count), AdapterObject.pageBytes / MemoryLayout<UInt32>.size)
        let size = min(limit, adapter.status.objectCount) * MemoryLayout<UInt32>.size
        answer(call, with: .itemCounts(firstSection: Int(first), limit: limit), size: size) { answer, writer in
            guard case .itemCounts(let revision, let counts) = answer else { return false }
            writer.append(revision)
            writer.append(UInt32(clamping: Int(first) + counts.count))
            writer.appendArray(counts)
            return true
        }
    }

    func getChanges(_ call: Call) throws {
        try adapter.checkReadingAccess(call)
        let (epoch, since) = try call.arguments(as: NameArgument.self, UInt64.self)
        guard epoch.text.isEmpty || epoch.text == adapter.epoch else {
            throw ListError(
                .revisionGone,
                "epoch: \(epoch.text.quoted) has ended; the list has the epoch \(adapter.epoch) now, read it again")
        }
        let transactions = adapter.status.revision.subtractingReportingOverflow(since).partialValue
        let size = min(Int(clamping: transactions), AdapterObject.pageBytes / 256) * 256
        answer(call, with: .changes(since: since, byteLimit: AdapterObject.pageBytes), size: size) { answer, writer in
            guard case .changes(let revision, let transactions) = answer else { return false }
            writer.append(revision)
            writer.array { batches in
                for transaction in transactions { batches.appendChange(transaction) }
            }
            return true
        }
    }

    func getObjectsByFileDescriptor(_ call: Call) throws {
        try adapter.checkReadingAccess(call)
        let (offset, limit, format) = try call.arguments(as: UInt32.self, UInt32.self, NameArgument.self)
        try BulkFormat.checkIsKnown(format.text)
        let user = try service.authority.caller(call.peer).user
        try service.limits.lentFiles.checkRoom(for: user)
        service.calls.queue.expectAnswer(to: call, size: AdapterObject.pageBytes)
        adapter.request { [name = adapter.name, epoch = adapter.epoch, files = service.limits.lentFiles] outcome in
            Task { @DBusActor in
                await call.reply(with: outcome, of: epoch, inFileNamed: "listd " + name, lentBy: files, to: user)
            }
        } _: { id in
            .query(id, .objects(offset: Int(offset), limit: Int(limit), byteLimit: .max))
        }
    }

    /// Returns the approximate number of bytes of up to `limit` objects.
    private func byteCount(ofObjects limit: UInt32) -> Int {
        let objects = max(1, adapter.status.objectCount)
        return min(AdapterObject.pageBytes, min(Int(limit), objects) * (adapter.bytes.count / objects + 48))
    }

    /// Sends a query to the host and answers the call with what `write` encodes.
    private func answer(
        _ call: Call, with query: AdapterQuery, size: Int, _ write: @escaping AnswerEncoder
    ) {
        service.calls.queue.expectAnswer(to: call, size: size)
        adapter.request(by: call.peer.pluginCaller) { [service] outcome in
            service.calls.outbox.answer(call, with: outcome, write)
        } _: { id in
            .query(id, query)
        }
    }
}

extension Call {
    /// Answers the call with what `write` encodes from a host's answer, or with its error. `write` returns `false` if
    /// the answer is of another kind.
    func answer(
        with outcome: Result<AdapterAnswer, ListError>, _ write: (AdapterAnswer, inout MessageWriter) -> Bool
    ) {
        switch outcome {
        case .failure(let error): fail(error)
        case .success(let answer):
            replyWriting { (writer) throws(DBusError) in
                guard write(answer, &writer) else { throw ListError.unexpectedAnswer.dbusError }
            }
        }
    }
}

extension MessageWriter {
    /// Appends objects as `a(ssa{sv})`.
    fileprivate mutating func append(_ objects: [ListObject]) {
        array { rows in
            for object in objects {
                rows.structure { members in
                    object.withIDBytes { members.append(utf8: $0) }
                    members.append(object.type)
                    members.append(object.fields)
                }
            }
        }
    }

    /// Appends items as `a(ususa{sv})`.
    fileprivate mutating func append(_ items: [PlacedItem]) {
        array { rows in
            for placed in items {
                rows.structure { members in
                    members.append(UInt32(clamping: placed.section))
                    members.append(placed.objectID)
                    members.append(UInt32(clamping: placed.index))
                    members.append(placed.item.reuseIdentifier)
                    members.append(placed.item.content)
                }
            }
        }
    }
}

extension Call {
    /// Answers the call with a host's objects in a sealed memory file.
    fileprivate func reply(
        with outcome: Result<AdapterAnswer, ListError>, of epoch: String, inFileNamed name: String,
        lentBy files: LentFiles, to user: UInt32
    ) async {
        do throws(ListError) {
            guard case .objects(let revision, let total, let objects) = try outcome.get() else {
                throw ListError.unexpectedAnswer
            }
            let file = try await SealedMemory.file(named: name, of: objects)
            try files.lend(file, to: user)
            reply(epoch, revision, UInt32(clamping: total), file)
        } catch {
            fail(error)
        }
    }
}

extension SealedMemory {
    /// Writes objects to a sealed file on a Dispatch thread, because a large list takes long.
    fileprivate static func file(
        named name: String, of objects: [ListObject]
    ) async throws(ListError) -> FileDescriptor {
        let outcome: Result<FileDescriptor, ListError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var encoder = JSONLEncoder()
                for object in objects { encoder.append(object) }
                continuation.resume(
                    returning: Result { () throws(ListError) in
                        try SealedMemory.file(named: name, containing: encoder.bytes)
                    })
            }
        }
        return try outcome.get()
    }
}
