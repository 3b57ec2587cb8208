// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListWorkers

extension AdapterObject {
    /// About how many bytes of content one answer holds.
    static let pageBytes = 1 << 20

    func getObjects(_ call: Call) throws {
        try checkReadingAccess(call)
        let (offset, limit) = try call.arguments(as: UInt32.self, UInt32.self)
        query(
            call, .objects(offset: Int(offset), limit: Int(limit), byteLimit: Self.pageBytes), size: size(of: limit)
        ) { answer, writer in
            guard case .objects(let revision, let total, let objects) = answer else { return false }
            writer.append(revision)
            writer.append(UInt32(clamping: total))
            writer.append(objects)
            return true
        }
    }

    func findObject(_ call: Call) throws {
        try checkReadingAccess(call)
        let id = try call.message.read { [limits = service.objectLimits] (reader) throws(DBusError) in
            try reader.readIdentifier(within: limits)
        }
        query(call, .find(id: id), size: 0) { answer, writer in
            guard case .object(let revision, let section, let object) = answer else { return false }
            writer.append(revision)
            writer.append(UInt32(clamping: section))
            writer.append(object.type)
            writer.append(object.fields)
            return true
        }
    }

    func getItems(_ call: Call) throws {
        try checkReadingAccess(call)
        let (first, count) = try call.arguments(as: UInt32.self, UInt32.self)
        query(
            call, .items(firstSection: Int(first), sectionCount: Int(count), byteLimit: Self.pageBytes),
            size: size(of: count)
        ) { answer, writer in
            guard case .items(let revision, let next, let items) = answer else { return false }
            writer.append(revision)
            writer.append(UInt32(clamping: next))
            writer.append(items)
            return true
        }
    }

    func getItemCounts(_ call: Call) throws {
        try checkReadingAccess(call)
        let (first, count) = try call.arguments(as: UInt32.self, UInt32.self)
        let limit = min(Int(count), Self.pageBytes / MemoryLayout<UInt32>.size)
        let size = min(limit, status.objectCount) * MemoryLayout<UInt32>.size
        query(call, .itemCounts(firstSection: Int(first), limit: limit), size: size) { answer, writer in
            guard case .itemCounts(let revision, let counts) = answer else { return false }
            writer.append(revision)
            writer.append(UInt32(clamping: Int(first) + counts.count))
            writer.appendArray(counts)
            return true
        }
    }

    func getChanges(_ call: Call) throws {
        try checkReadingAccess(call)
        let since = try call.arguments(as: UInt64.self)
        let transactions = status.revision.subtractingReportingOverflow(since).partialValue
        let size = min(Int(clamping: transactions), Self.pageBytes / 256) * 256
        query(call, .changes(since: since, byteLimit: Self.pageBytes), size: size) { answer, writer in
            guard case .changes(let revision, let transactions) = answer else { return false }
            writer.append(revision)
            writer.array { batches in
                for transaction in transactions { batches.appendChange(transaction) }
            }
            return true
        }
    }

    func subscribe(_ call: Call) throws {
        try checkReadingAccess(call)
        try service.decode(call) { (reader) throws(DBusError) in
            let words = try [NameArgument](from: &reader).map(\.text)
            do throws(AdapterEvents.UnknownWord) {
                return try AdapterEvents(words: words)
            } catch {
                throw DBusError.invalidArgs(
                    "events: \(error.word.quoted) is none of \(AdapterEvents.words)")
            }
        } then: { [self] events in
            try checkReadingAccess(call)
            try checkStaying()
            subscribe(call.peer, to: events)
            call.reply(status.revision)
        }
    }

    func checkReadingAccess(_ call: Call) throws(ListError) {
        try checkPresent()
        guard isRestricted else { return }
        let caller = try service.authority.caller(call.peer, for: .inspect)
        guard allowsReading(caller) else {
            throw ListError(.accessDenied, "user \(caller.user) may not read adapter \(name.quoted)")
        }
    }

    /// About how many bytes so many objects have.
    private func size(of limit: UInt32) -> Int {
        let objects = max(1, status.objectCount)
        return min(Self.pageBytes, min(Int(limit), objects) * (bytes.count / objects + 48))
    }

    /// Begins what is answered with about so many bytes of contents in its turn, if the caller may still read them by then.
    func read(for call: Call, size: Int, _ read: @escaping ContentReads.Read) {
        let rules = access
        service.reads.perform(for: call, size: size) { [self] finished in
            do throws(ListError) {
                if access != rules || following != nil { try checkReadingAccess(call) }
                read(finished)
            } catch {
                call.fail(error)
                finished()
            }
        }
    }

    /// Asks the host and answers the call with what `write` makes of the answer; false = it does not fit.
    private func query(
        _ call: Call, _ query: AdapterQuery, size: Int,
        _ write: @escaping @Sendable (AdapterAnswer, inout MessageWriter) -> Bool
    ) {
        read(for: call, size: size) { [self] finished in
            request(by: call.peer.pluginCaller) { [service] outcome in
                service.reads.answer(call, outcome, write, finished: finished)
            } _: { id in
                .query(id, query)
            }
        }
    }
}

extension Call {
    /// Answers with what `write` makes of a host's answer, or with its error; false = the answer does not fit.
    func answer(
        _ outcome: Result<AdapterAnswer, ListError>, _ write: (AdapterAnswer, inout MessageWriter) -> Bool
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
    /// Objects as `a(ssa{sv})`.
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

    /// Items as `a(uusa{sv})`.
    fileprivate mutating func append(_ items: [PlacedItem]) {
        array { rows in
            for placed in items {
                rows.structure { members in
                    members.append(UInt32(clamping: placed.section))
                    members.append(UInt32(clamping: placed.index))
                    members.append(placed.item.reuseIdentifier)
                    members.append(placed.item.content)
                }
            }
        }
    }
}
