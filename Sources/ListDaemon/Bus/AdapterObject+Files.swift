// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListWorkers

// Whole lists through descriptors, so that the bus carries none of their bytes.

extension AdapterObject {
    func performUpdatesFromFile(_ call: Call) throws {
        let caller = try checkWritingAccess(call)
        let (expected, file, format, options) = try call.message.read { (reader) throws(DBusError) in
            (
                try reader.readUInt64(), try reader.readFileDescriptor(of: "file"),
                try NameArgument(from: &reader).text,
                try UpdateOptions(from: &reader, allowing: [.animated, .duplicates])
            )
        }
        try Self.check(format: format)
        try checkWritable()
        let rules = access
        service.answer(call) { [self] in
            let operation: UpdateRequest.Operation
            do throws(ListError) {
                let objects = try await service.bulk.objects(from: file, user: caller.user)
                operation = .performUpdates(objects: objects, duplicates: options.duplicates)
            } catch {
                operation = .invalid(error)
            }
            if access != rules { try checkWritingAccess(call) }
            update(call, expecting: expected, animated: options.animated, operation)
        }
    }

    func getObjectsByFileDescriptor(_ call: Call) throws {
        try checkReadingAccess(call)
        let (offset, limit, format) = try call.arguments(as: UInt32.self, UInt32.self, NameArgument.self)
        try Self.check(format: format.text)
        let user = try service.authority.caller(call.peer).user
        read(for: call, size: Self.pageBytes) { [self] finished in
            do throws(ListError) {
                try service.lentFiles.checkRoom(for: user)
            } catch {
                call.fail(error)
                return finished()
            }
            request { [name, files = service.lentFiles] outcome in
                Task { @DBusActor in
                    await call.reply(with: outcome, inFileNamed: "listd " + name, lentBy: files, to: user)
                    finished()
                }
            } _: { id in
                .query(id, .objects(offset: Int(offset), limit: Int(limit), byteLimit: .max))
            }
        }
    }

    private static func check(format: String) throws(ListError) {
        guard format == "jsonl" else {
            throw ListError(.invalidArguments, "format: \(format.quoted) is not jsonl")
        }
    }
}

extension Call {
    /// Answers with objects that a host gave, in a sealed memory file.
    fileprivate func reply(
        with outcome: Result<AdapterAnswer, ListError>, inFileNamed name: String, lentBy files: LentFiles,
        to user: UInt32
    ) async {
        do throws(ListError) {
            guard case .objects(let revision, let total, let objects) = try outcome.get() else {
                throw ListError.unexpectedAnswer
            }
            let file = try await SealedMemory.file(named: name, of: objects)
            try files.lend(file, to: user)
            reply(revision, UInt32(clamping: total), file)
        } catch {
            fail(error)
        }
    }
}

extension SealedMemory {
    /// Writes objects on a thread of Dispatch, because a large list takes long.
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
