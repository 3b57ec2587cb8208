// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListWorkers

// The methods that read the list.

extension AdapterObject {
    func getObjects(_ call: Call) throws {
        try checkReadingAccess(call)
        let (offset, limit) = try call.arguments(as: UInt32.self, UInt32.self)
        answer(call, size: byteCount(ofObjects: limit)) { done in
            host.readPage(
                from: Int(offset), limit: Int(limit), byteLimit: Self.pageBytes, done: done)
        } bytes: { page in
            page.objects.reduce(0) { $0 + $1.byteCount + 48 }
        } write: { [epoch] page, writer in
            writer.append(epoch)
            writer.append(page.revision)
            writer.append(UInt32(clamping: page.total))
            writer.append(page.objects)
        }
    }

    func findObject(_ call: Call) throws {
        try checkReadingAccess(call)
        let id = try call.message.read { [limits = service.limits.objects] (reader) throws(DBusError) in
            try reader.readIdentifier(within: limits)
        }
        answer(call, size: 0) { done in
            host.readObject(id, done: done)
        } bytes: { found in
            found.object.byteCount
        } write: { found, writer in
            writer.append(found.revision)
            writer.append(UInt32(clamping: found.section))
            writer.append(found.object.type)
            writer.append(found.object.fields)
        }
    }

    func getItems(_ call: Call) throws {
        try checkReadingAccess(call)
        try service.calls.decode(call) { (reader) throws(DBusError) in
            (first: try reader.readUInt32(), count: try reader.readUInt32(), fields: try [String](from: &reader))
        } then: { [self] asked in
            try checkReadingAccess(call)
            let query = ItemQuery.items(
                firstSection: Int(asked.first), sectionCount: Int(asked.count), byteLimit: Self.pageBytes,
                fields: asked.fields)
            answer(call, with: query, size: byteCount(ofObjects: asked.count)) { revision, answer, writer in
                guard case .items(let next, let items) = answer else { return false }
                writer.append(revision)
                writer.append(UInt32(clamping: next))
                writer.append(items)
                return true
            }
        }
    }

    func getItemCounts(_ call: Call) throws {
        try checkReadingAccess(call)
        let (first, count) = try call.arguments(as: UInt32.self, UInt32.self)
        let limit = min(Int(count), Self.pageBytes / MemoryLayout<UInt32>.size)
        let size = min(limit, status.objectCount) * MemoryLayout<UInt32>.size
        let query = ItemQuery.itemCounts(firstSection: Int(first), limit: limit)
        answer(call, with: query, size: size) { revision, answer, writer in
            guard case .itemCounts(let counts) = answer else { return false }
            writer.append(revision)
            writer.append(UInt32(clamping: Int(first) + counts.count))
            writer.appendArray(counts)
            return true
        }
    }

    func getChanges(_ call: Call) throws {
        try checkReadingAccess(call)
        let (epoch, since) = try call.arguments(as: NameArgument.self, UInt64.self)
        guard epoch.text.isEmpty || epoch.text == self.epoch else {
            throw ListError(
                .revisionGone,
                "epoch: \(epoch.text.quoted) has ended; the list has the epoch \(self.epoch) now, read it again")
        }
        let transactions = status.revision.subtractingReportingOverflow(since).partialValue
        let size = min(Int(clamping: transactions), Self.pageBytes / 256) * 256
        answer(call, size: size) { done in
            host.readChanges(since: since, byteLimit: Self.pageBytes, done: done)
        } bytes: { known in
            known.changes.reduce(0) { $0 + $1.encodedSize + 64 }
        } write: { known, writer in
            writer.append(known.revision)
            writer.array { batches in
                for transaction in known.changes { batches.appendChange(transaction) }
            }
        }
    }

    func getObjectsByFileDescriptor(_ call: Call) throws {
        try checkReadingAccess(call)
        let (offset, limit, format) = try call.arguments(as: UInt32.self, UInt32.self, NameArgument.self)
        try BulkFormat.checkIsKnown(format.text)
        let user = try service.authority.caller(call.peer).user
        try service.limits.lentFiles.checkRoom(for: user)
        service.calls.queue.expectAnswer(to: call, size: Self.pageBytes)
        host.readPage(from: Int(offset), limit: Int(limit), byteLimit: .max) {
            [service, name, epoch] outcome in
            service.calls.answer(call) {
                let page = try outcome.get()
                let file = try await SealedMemory.file(named: "listd " + name, of: page.objects)
                try service.limits.lentFiles.lend(file, to: user)
                call.reply(epoch, page.revision, UInt32(clamping: page.total), file)
            }
        }
    }

    /// Returns the approximate number of bytes of up to `limit` objects.
    private func byteCount(ofObjects limit: UInt32) -> Int {
        let objects = max(1, status.objectCount)
        return min(Self.pageBytes, min(Int(limit), objects) * (bytes.count / objects + 48))
    }

    /// Reads objects or changes of the list, and answers the call with what `write` encodes.
    ///
    /// - Parameters:
    ///   - size: the approximate bytes of the answer before it is read.
    ///   - read: starts the read.
    ///   - bytes: returns the approximate bytes of the answer.
    private func answer<Value: Sendable>(
        _ call: Call, size: Int, _ read: (@escaping ListHost.Completion<Value>) -> Void,
        bytes: @escaping @DBusActor (Value) -> Int, write: @escaping @Sendable (Value, inout MessageWriter) -> Void
    ) {
        service.calls.queue.expectAnswer(to: call, size: size)
        read { [service] outcome in
            switch outcome {
            case .failure(let error): call.fail(error)
            case .success(let value):
                service.calls.outbox.answer(call, size: bytes(value)) { { write(value, &$0) } }
            }
        }
    }

    /// Asks the presenter about items, and answers the call with what `write` encodes from its answer and the revision.
    private func answer(
        _ call: Call, with query: ItemQuery, size: Int,
        _ write: @escaping @Sendable (UInt64, PresenterAnswer, inout MessageWriter) -> Bool
    ) {
        service.calls.queue.expectAnswer(to: call, size: size)
        host.ask(query, by: call.peer.pluginCaller) { [self] outcome in
            let revision = status.revision
            service.calls.outbox.answer(call, with: outcome) { write(revision, $0, &$1) }
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
