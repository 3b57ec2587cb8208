internal import DBus
@_spi(Daemon) internal import ListKit

extension AdapterObject {
    /// About how many bytes of content one answer holds.
    static let pageBytes = 1 << 20

    func getObjects(_ call: Call) throws {
        try checkReadingAccess(call)
        let (offset, limit) = try call.arguments(as: UInt32.self, UInt32.self)
        query(call, .objects(offset: Int(offset), limit: Int(limit), byteLimit: Self.pageBytes)) { answer, writer in
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
        query(call, .find(id: id)) { answer, writer in
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
            call, .items(firstSection: Int(first), sectionCount: Int(count), byteLimit: Self.pageBytes)
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
        query(call, .itemCounts(firstSection: Int(first), limit: limit)) { answer, writer in
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
        query(call, .changes(since: since, byteLimit: Self.pageBytes)) { answer, writer in
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
        try checkStaying()
        let words = try call.arguments(as: [NameArgument].self).map(\.text)
        do throws(AdapterEvents.UnknownWord) {
            subscribe(call.peer, to: try AdapterEvents(words: words))
        } catch {
            throw DBusError.invalidArgs(
                "events: \(error.word.quoted) is none of \(AdapterEvents.words)")
        }
        call.reply(status.revision)
    }

    func checkReadingAccess(_ call: Call) throws(ListError) {
        try checkPresent()
        guard isRestricted else { return }
        let caller = try service.authority.caller(call.peer, for: .inspect)
        guard allowsReading(caller) else {
            throw ListError(.accessDenied, "user \(caller.user) may not read adapter \(name.quoted)")
        }
    }

    /// Begins what is answered with contents when the caller has room for them, if it may still read them by then.
    func read(for call: Call, _ read: @escaping ContentReads.Read) {
        let rules = access
        service.read(for: call) { [self] finished in
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
        _ call: Call, _ query: AdapterQuery, _ write: @escaping (AdapterAnswer, inout MessageWriter) -> Bool
    ) {
        read(for: call) { [self] finished in
            request(by: call.peer.pluginCaller) { outcome in
                call.answer(outcome, write)
                finished()
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
