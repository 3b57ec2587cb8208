// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import Glibc
internal import PluginAPI
internal import Synchronization

/// Follows all lists of one service, on one connection and a thread of its own.
///
/// A poll runs one statement that returns which lists have changed, and one further statement for each changed
/// list.
final class ServiceFollower: @unchecked Sendable {
    // The thread owns everything but `inbox`, `arrived` and the constants.

    /// A message from another thread.
    private enum Message {
        case follow(FollowedList)
        case unfollow(FollowedList)
        /// The list's sink has accepted the last event.
        case accepted(FollowedList)
        case read(FollowedList, WholeReader.Outcome)
        /// A client's write.
        case write(FollowedList, DataSourceWrite)
        /// A client's write was committed.
        case wrote(FollowedList, PendingWrite)
    }

    private struct Inbox {
        var messages: [Message] = []
        /// The number of lists, including those of queued messages.
        var count = 0
        /// Why writes are refused at once; `nil` = the server answers.
        var outage: String?
    }

    /// The versions of the lists' relations in the system catalogue, when they were inspected last.
    private struct Inspected: Equatable {
        var relations: [String] = []
        var version = ""
        var generation = ""
    }

    /// The maximum number of changed keys; with more, the whole list is read.
    private static let maximumChangedKeys = 50_000
    /// The interval at which the versions of columns and triggers are compared.
    private static let inspectionInterval = Duration.seconds(5)
    /// The interval at which columns, triggers and rights are read again even if the versions are equal. The rights
    /// that a role has through its groups have no version.
    private static let fullInspectionInterval = Duration.seconds(60)
    /// The time without an answer after which writes are refused.
    private static let writersPatience = Duration.seconds(1)
    /// The time without an answer after which a poll is given up if a committed write waits for its changes.
    private static let committedPatience = Duration.seconds(2)

    private let address: ServiceAddress
    private let logger: PluginLogger
    private let inbox = Mutex(Inbox())
    private let arrived = DispatchSemaphore(value: 0)
    private let reader: WholeReader
    private let writer: ServiceWriter

    private var lists: [FollowedList] = []
    private let link: ServiceLink
    private var nextInspection = ContinuousClock.now
    private var inspected = Inspected()
    private var nextFullInspection = ContinuousClock.now
    private var nextPoll = ContinuousClock.now
    /// The time for an answer to a statement that costs the server little.
    private var patience = Duration.seconds(5)

    init(_ address: ServiceAddress, _ logger: PluginLogger) {
        self.address = address
        self.logger = logger
        link = ServiceLink(address)
        reader = WholeReader(address)
        writer = ServiceWriter(address)
    }

    // MARK: From other threads

    func start() {
        let thread = Thread { [self] in run() }
        thread.name = "listd-postgres"
        thread.start()
    }

    func follow(_ list: FollowedList) {
        inbox.withLock { $0.count += 1 }
        send(.follow(list))
    }

    /// Removes a list. Returns whether it was the last one; the thread then ends.
    func unfollow(_ list: FollowedList) -> Bool {
        let isLast = inbox.withLock { inbox in
            inbox.count -= 1
            return inbox.count == 0
        }
        send(.unfollow(list))
        return isLast
    }

    /// Passes on a write, or refuses it at once while the server does not answer.
    func write(_ write: DataSourceWrite, to list: FollowedList) {
        guard let outage = inbox.withLock({ $0.outage }) else { return send(.write(list, write)) }
        list.refuse(write.id, ListError(.sourceUnavailable, "\(outage); nothing was written"))
    }

    private func send(_ message: Message) {
        inbox.withLock { $0.messages.append(message) }
        arrived.signal()
    }

    // MARK: The thread

    private func run() {
        while let messages = nextMessages() {
            for message in messages { handle(message) }
            connectIfNeeded()
            poll()
            startReading()
            reportTrouble()
            inbox.withLock { $0.outage = link.trouble?.message }
            for list in lists {
                list.answerWrites(generation: link.generation)
                for write in list.takeOverdueWrites() {
                    let text = "\(address.text): the list \(list.options.name.quoted) is still being read"
                    list.refuse(write.id, ListError(.sourceUnavailable, "\(text); nothing was written"))
                }
            }
        }
    }

    /// Waits for messages or for the time of the next poll; `nil` = there are no more lists.
    private func nextMessages() -> [Message]? {
        let due = link.connection == nil ? link.nextAttempt : nextPoll
        _ = arrived.wait(timeout: .now() + max(.zero, ContinuousClock.now.duration(to: due)).timeInterval)
        return inbox.withLock { inbox in
            defer { inbox.messages = [] }
            return inbox.count == 0 ? nil : inbox.messages
        }
    }

    private func handle(_ message: Message) {
        switch message {
        case .follow(let list):
            lists.append(list)
            nextInspection = .now
            nextPoll = .now
        case .unfollow(let list): lists.removeAll { $0 === list }
        case .accepted(let list): list.recordAccepted()
        case .read(let list, let outcome): recordReading(outcome, of: list)
        case .write(let list, let write): startWrite(write, to: list)
        case .wrote(let list, let write):
            list.recordCommitted(write)
            nextPoll = .now
        }
    }

    /// Starts a write, or refuses it if the list is not up to date. A write never waits for a connection.
    private func startWrite(_ write: DataSourceWrite, to list: FollowedList) {
        // Reading ends soon, with a complete list or an error.
        if link.connection != nil, case .reading = list.phase { return list.enqueue(write) }
        guard link.connection != nil, link.trouble == nil, case .following(_, let description) = list.phase else {
            let reason =
                link.trouble?.message ?? "\(address.text): the list \(list.options.name.quoted) has not been read yet"
            return list.refuse(write.id, ListError(.sourceUnavailable, "\(reason); nothing was written"))
        }
        guard !link.isStandby else {
            let text = "\(address.text): the server is a standby, which accepts no writes"
            return list.refuse(write.id, ListError(.sourceUnavailable, text))
        }
        let limit = list.options.deletionLimit
        writer.write(write, to: description, deletingAtMost: limit, generation: link.generation) { [self] outcome in
            switch outcome {
            case .refused(let error), .conflict(let error): list.refuse(write.id, error)
            case .written(let transaction, let generation):
                send(.wrote(list, PendingWrite(write.id, transaction: transaction, generation: generation)))
            }
        }
    }

    // MARK: The connection

    private func connectIfNeeded() {
        let isNew = link.connectIfNeeded(logger) { [unowned self] silence in continueWaiting(after: silence) }
        guard isNew else { return }
        nextPoll = .now
        nextInspection = .now
        // What could not be read from a server that was away is not away any longer.
        for list in lists { list.retrySoon() }
    }

    /// Reports a server that does not answer, and refuses the writes that arrive meanwhile. Returns whether to keep
    /// waiting for the answer.
    private func continueWaiting(after silence: Duration) -> Bool {
        guard silence >= Self.writersPatience else { return true }
        let text = link.trouble?.message ?? "\(address.text): the server does not answer"
        refuseWrites("\(text); nothing was written")
        for list in lists where !list.isStopped {
            let time = list.synced.map { ContinuousClock.now - $0 } ?? silence
            if time >= list.options.stale {
                list.reportFailure("\(text); no answer has arrived for \(list.options.stale.inSeconds) s")
            }
        }
        return silence < Self.committedPatience || !hasCommittedWrites
    }

    /// Whether committed writes wait for their changes.
    private var hasCommittedWrites: Bool {
        let isAnnounced = inbox.withLock { inbox in
            inbox.messages.contains { if case .wrote = $0 { true } else { false } }
        }
        return isAnnounced || lists.contains(where: \.hasCommittedWrites)
    }

    private func refuseWrites(_ reason: String) {
        let refused = inbox.withLock { inbox in
            inbox.outage = reason
            var writes: [(FollowedList, DataSourceWrite)] = []
            inbox.messages.removeAll { message in
                guard case .write(let list, let write) = message else { return false }
                writes.append((list, write))
                return true
            }
            return writes
        }
        for (list, write) in refused { list.refuse(write.id, ListError(.sourceUnavailable, reason)) }
    }

    /// Reports the error of the connection to the lists that have had no answer for their time `stale`.
    private func reportTrouble() {
        guard let trouble = link.trouble else { return }
        for list in lists where !list.isStopped {
            let silence = list.synced.map { ContinuousClock.now - $0 }
            switch (trouble.kind, silence) {
            case (.refused, _), (_, nil): list.reportFailure(trouble.message)
            case (_, let silence?) where silence >= list.options.stale:
                list.reportFailure("\(trouble.message); no answer has arrived for \(list.options.stale.inSeconds) s")
            default: break
            }
        }
    }

    // MARK: Polling

    private func poll() {
        guard let connection = link.connection, nextPoll <= .now else { return }
        nextPoll = .now + (lists.map(\.options.poll).min() ?? .seconds(1))
        patience = lists.map(\.options.stale).min() ?? .seconds(5)
        do throws(PostgresError) {
            if nextInspection <= .now { try updateDescriptions(on: connection) }
            try pollLists(on: connection)
            link.recordAnswer()
        } catch {
            switch error.kind {
            case .connection, .refused: link.recordLoss(error)
            // The log cannot be read, for example without permission. This concerns all lists.
            case .statement: nextPoll = .now + link.recordRefusal(error)
            }
        }
    }

    /// Reads the descriptions of the lists again if they may have changed, and checks the cursors against them.
    private func updateDescriptions(on connection: Connection) throws(PostgresError) {
        nextInspection = .now + Self.inspectionInterval
        guard try haveDescriptionsChanged(on: connection) else { return }
        let descriptions = try ListDescription.fetch(
            on: connection, for: Set(lists.map(\.options.name)), within: patience)
        for list in lists {
            guard case .success(let description) = descriptions[list.options.name] else {
                if case .failure(let fault) = descriptions[list.options.name] {
                    recordFailure("\(connection.subject): \(fault.message)", of: list)
                }
                continue
            }
            switch list.phase {
            case .following(let cursor, _):
                if !isValid(cursor, for: description) { scheduleReading(list) }
            case .new:
                guard let cursor = list.takeRestoredCursor() else { continue }
                if isValid(cursor, for: description) {
                    list.restoreOmission(of: cursor)
                    list.recordProgress(cursor, description)
                } else {
                    scheduleReading(list)
                }
            case .reading: break
            }
        }
    }

    /// Returns whether the description of a list may have changed since the last inspection.
    private func haveDescriptionsChanged(on connection: Connection) throws(PostgresError) -> Bool {
        let relations = lists.compactMap { list in
            if case .following(_, let description) = list.phase { description.relationIDs } else { nil }
        }
        // A list that is not followed yet needs its description.
        guard relations.count == lists.count else {
            inspected = Inspected()
            return true
        }
        let now = Inspected(
            relations: relations.flatMap(\.self),
            version: try ListDescription.fetchVersion(
                on: connection, of: relations.flatMap(\.self), within: patience),
            generation: link.generation)
        if now == inspected, .now < nextFullInspection { return false }
        inspected = now
        nextFullInspection = .now + Self.fullInspectionInterval
        return true
    }

    private func isValid(_ cursor: ListCursor, for description: ListDescription) -> Bool {
        cursor.generation == link.generation && cursor.fingerprint == description.fingerprint
    }

    /// Queries which lists have changed, and then the changes of each.
    private func pollLists(on connection: Connection) throws(PostgresError) {
        var asked: [FollowedList] = []
        var (numbers, snapshots): ([String], [String]) = ([], [])
        for list in lists where !list.isBusy {
            guard case .following(let cursor, let description) = list.phase, cursor.generation == link.generation
            else { continue }
            asked.append(list)
            numbers.append("\(description.number)")
            snapshots.append(cursor.snapshot)
        }
        let answer = try connection.query(
            // A single composite value, because a function in FROM costs the server a third more.
            "SELECT listd.poll($1, $2, $3)",
            [numbers.asArrayLiteral, snapshots.asArrayLiteral, "\(Self.maximumChangedKeys)"], within: patience)
        let fields = answer.firstText.map(QueryResult.fields(of:)) ?? []
        guard fields.count == 3, let snapshot = fields[0], fields[1] == link.generation else {
            throw PostgresError(kind: .connection, message: "\(connection.subject): a different server answered")
        }
        let changed = Self.changedKeyCounts(in: fields[2] ?? "")
        for (index, list) in asked.enumerated() {
            try update(list, changedKeys: changed[index + 1], on: connection, snapshot: snapshot)
        }
    }

    /// Parses the number of changed keys by the list's index among the polled ones, which starts at 1.
    private static func changedKeyCounts(in text: String) -> [Int: Int] {
        let pairs = text.split(separator: ",").map { $0.split(separator: ":").compactMap { Int($0) } }
        return Dictionary(pairs.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }, uniquingKeysWith: { min($0, $1) })
    }

    /// Sends the changes of a list; reads the whole list again if it has too many changes.
    ///
    /// - Parameter changedKeys: The number of changed keys; `nil` = none have changed, -1 = the whole list has to
    ///   be read.
    private func update(
        _ list: FollowedList, changedKeys: Int?, on connection: Connection, snapshot: String
    ) throws(PostgresError) {
        guard case .following(var cursor, let description) = list.phase else { return }
        guard let changedKeys else {
            cursor.snapshot = snapshot
            list.recordProgress(cursor, description)
            return list.sendReady(upTo: cursor) { [self] in send(.accepted(list)) }
        }
        guard changedKeys > 0 else { return scheduleReading(list, atOnce: true) }
        do {
            guard let (changes, next) = try readChanges(of: list, since: cursor, description, on: connection) else {
                return scheduleReading(list, atOnce: true)
            }
            cursor.snapshot = next
            list.recordProgress(cursor, description)
            list.send(changes, upTo: cursor) { [self] in send(.accepted(list)) }
        } catch let error as PostgresError {
            guard case .statement = error.kind else { throw error }
            // SQLSTATEs of an undefined table and column: it was renamed since the last inspection.
            if error.isStatementFailure(withState: "42P01", "42703"), !list.hasFailed {
                return scheduleReading(list, atOnce: true)
            }
            recordFailure("\(error.message); list \(list.options.name.quoted) of \(description.relation)", of: list)
        } catch {
            recordFailure("\(connection.subject): \((error as? ListFault)?.message ?? "\(error)")", of: list)
        }
    }

    /// Reads the changed rows and their snapshot; `nil` = the whole list has to be read.
    private func readChanges(
        of list: FollowedList, since cursor: ListCursor, _ description: ListDescription, on connection: Connection
    ) throws -> (RowChanges, String)? {
        let rows = try connection.query(
            description.changesStatement, ["\(description.number)", cursor.snapshot], isBinary: true)
        guard rows.count > 0, let snapshot = rows.text(0, 0), rows.text(0, 1) == link.generation else { return nil }
        var reader = RowReader(description, largest: list.options.largest)
        var changes = RowChanges()
        var seen: Set<String> = []
        for row in 0..<rows.count {
            guard let id = rows.text(row, 2) else { return nil }
            guard seen.insert(id).inserted else {
                throw ListFault("\(description.relation): the id \(id.quoted) occurs more than once")
            }
            let isThere = rows.text(row, ListDescription.changeColumns + 1) != nil
            let object =
                isThere
                ? unsafe try reader.readObject { unsafe rows.bytes(row, ListDescription.changeColumns + $0) } : nil
            if let object {
                let before = rows.text(row, 3)
                changes.upserts.append(.init(object, position: before.map { .after($0) } ?? .first))
            } else if (1...ListDescription.maximumIDLength).contains(id.utf8.count) {
                changes.removed.append(id)
            }
        }
        list.recordLosses(reader.losses, ofChanged: seen)
        return (changes, snapshot)
    }

    // MARK: Whole lists

    /// Schedules reading the whole list: now if `atOnce`, else after a random delay of up to 1 s, so that not all
    /// machines read it at the same time.
    private func scheduleReading(_ list: FollowedList, atOnce: Bool = false) {
        list.scheduleReading(after: atOnce ? .zero : .milliseconds(Int64.random(in: 0..<1000)))
    }

    private func recordFailure(_ message: String, of list: FollowedList) {
        if case .reading = list.phase { return }
        list.recordFailedReading()
        list.reportFailure(message)
    }

    private func startReading() {
        guard let server = link.connection?.server else { return }
        for list in lists where list.beginReading() {
            reader.read(list, from: server) { [self] outcome in send(.read(list, outcome)) }
        }
    }

    private func recordReading(_ outcome: WholeReader.Outcome, of list: FollowedList) {
        guard !list.isStopped else { return }
        defer { for write in list.takeQueuedWrites() { startWrite(write, to: list) } }
        list.scheduleReading(after: .zero)
        switch outcome {
        case .done(let cursor, let description, let losses):
            list.recordSynced()
            list.recordLosses(losses)
            list.recordProgress(cursor, description)
            if cursor.generation != link.generation { scheduleReading(list) }
        case .fault(let message): recordFailure(message, of: list)
        case .unreachable(let message):
            list.recordFailedReading()
            if list.synced == nil { list.reportFailure(message) }
        }
    }
}

extension Duration {
    /// The duration as a Dispatch interval, at most an hour.
    fileprivate var timeInterval: DispatchTimeInterval {
        .nanoseconds(Int(min(components.seconds, 3600)) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000))
    }
}

/// The followers, one for each service that has a list.
final class Services: Sendable {
    private let followers = Mutex<[ServiceAddress: ServiceFollower]>([:])
    private let logger: PluginLogger

    init(_ logger: PluginLogger) { self.logger = logger }

    /// Starts following a list, with a new follower if its service has none.
    func follow(_ list: FollowedList) {
        followers.withLock { followers in
            if let follower = followers[list.options.address] { return follower.follow(list) }
            let follower = ServiceFollower(list.options.address, logger)
            followers[list.options.address] = follower
            follower.follow(list)
            follower.start()
        }
    }

    /// Passes a client's write to the follower of the list.
    func write(_ write: DataSourceWrite, to list: FollowedList) {
        followers.withLock { $0[list.options.address] }?.write(write, to: list)
    }

    /// Stops following a list. Events that its sink has not accepted are dropped.
    func unfollow(_ list: FollowedList) {
        list.markStopped()
        followers.withLock { followers in
            guard let follower = followers[list.options.address] else { return }
            if follower.unfollow(list) { followers[list.options.address] = nil }
        }
    }
}

/// The system's real-time clock, for messages and for the property SourceSynced.
enum WallClock {
    /// The present time in microseconds since 1970.
    static var now: UInt64 {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return UInt64(clamping: time.tv_sec) * 1_000_000 + UInt64(clamping: time.tv_nsec) / 1000
    }

    /// Returns the local time of day, such as 09:14:03.
    static func timeOfDay(_ microseconds: UInt64) -> String {
        var seconds = time_t(clamping: microseconds / 1_000_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return "?" }
        let numbers = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
        return numbers.map { ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ":")
    }
}
