// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import PluginAPI
internal import Synchronization

/// Reads whole lists of one service, one after the other. It has a connection and queues of its own, so that a long
/// list does not delay the lists that are being followed.
final class WholeReader: Sendable {
    /// The outcome of reading a list.
    enum Outcome: Sendable {
        case done(ListCursor, ListDescription, RowLosses)
        /// The list cannot be read, although its service can be reached.
        case fault(String)
        /// The service cannot be reached.
        case unreachable(String)
    }

    /// The state of a list after all of its rows were read.
    private struct End: Sendable {
        let cursor: ListCursor
        let description: ListDescription
        let losses: RowLosses
        /// The time at which the database had these rows, in microseconds since 1970.
        let synced: UInt64
    }

    /// The maximum number of bytes of fields in a page.
    private static let pageBytes = 256 << 10
    private static let pageRows = 4096

    private let address: ServiceAddress
    /// The queue that sends pages to the list.
    private let queue: DispatchQueue
    /// The queue that reads rows and converts them to objects, while earlier pages are sent.
    private let rowQueue: DispatchQueue

    init(_ address: ServiceAddress) {
        self.address = address
        queue = DispatchQueue(label: "org.listd.postgres.read.\(address.service)")
        rowQueue = DispatchQueue(label: "org.listd.postgres.rows.\(address.service)")
    }

    /// Reads a list from a server. Calls `done` on a queue of the reader when the list has all pages, or after an
    /// error.
    func read(_ list: FollowedList, from server: ServerAddress, done: @escaping @Sendable (Outcome) -> Void) {
        queue.async { [self] in
            guard !list.isStopped else { return done(.fault("the list was stopped")) }
            let pages = PageHandoff<End>()
            rowQueue.async { [address] in
                pages.finish(
                    Result { try Self.readPages(of: list, on: try Connection(address, to: server), into: pages) })
            }
            done(send(pages, to: list))
        }
    }

    private func send(_ pages: PageHandoff<End>, to list: FollowedList) -> Outcome {
        defer { pages.abandon() }
        do {
            // The replacement begins with the first page, so that a list that cannot be read keeps its objects.
            var page = try pages.next()
            try list.sink.replaceInPages { send in
                while let objects = page {
                    send(objects)
                    page = try pages.next()
                }
                guard let end = pages.end else { throw ListFault("the list was stopped") }
                var cursor = end.cursor
                cursor.omission = end.losses.text ?? ""
                return cursor.progress(synced: end.synced)
            }
            guard let end = pages.end else { throw ListFault("the list was stopped") }
            return .done(end.cursor, end.description, end.losses)
        } catch let error as PostgresError {
            if case .statement = error.kind { return .fault("\(error.message); list \(list.options.name.quoted)") }
            return .unreachable(error.message)
        } catch let error as ListFault {
            return .fault("\(address.text): \(error.message)")
        } catch {
            return .fault("\(address.text): \((error as? ListError)?.message ?? "\(error)")")
        }
    }

    /// Reads all rows in one snapshot of the database, and passes them on in pages.
    private static func readPages(
        of list: FollowedList, on connection: Connection, into pages: PageHandoff<End>
    ) throws -> End {
        let hello = try Hello(connection)
        try connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let now = try connection.query("SELECT pg_current_snapshot()::text, listd.generation()")
        guard let snapshot = now.text(0, 0), now.text(0, 1) == hello.generation else {
            throw PostgresError(
                kind: .connection, message: "\(hello.subject): a different server answered in the same session")
        }
        let name = list.options.name
        guard let description = try ListDescription.fetch(on: connection, for: [name])[name]?.get() else {
            throw ListFault("the database returned no description of the list \(name.quoted)")
        }
        if !description.isUnique, let id = try connection.query(description.duplicateStatement).firstText {
            throw ListFault("\(description.relation): the id \(id.quoted) occurs more than once")
        }
        var reader = RowReader(description, largest: list.options.largest)
        let synced = WallClock.now
        var copy = CopyReader()
        var (page, bytes): ([ListObject], Int) = ([], 0)
        page.reserveCapacity(pageRows)
        unsafe try connection.copyRows(description.snapshotStatement) { chunk in
            guard unsafe try copy.read(chunk),
                let object = unsafe try reader.readObject({ unsafe copy.field($0, of: chunk) })
            else { return }
            page.append(object)
            bytes += object.byteCount
            guard bytes >= pageBytes || page.count >= pageRows else { return }
            guard !list.isStopped else { throw ListFault("the list was stopped") }
            try pages.put(page)
            page = []
            page.reserveCapacity(pageRows)
            bytes = 0
        }
        if !page.isEmpty { try pages.put(page) }
        _ = try? connection.query("COMMIT")
        return End(
            cursor: ListCursor(
                generation: hello.generation, snapshot: snapshot, fingerprint: description.fingerprint),
            description: description, losses: reader.losses, synced: synced)
    }
}

/// Passes the pages of a list from the thread that reads them to the thread that sends them, so that both work at
/// the same time.
///
/// At most one page waits in between, so that a long list takes the memory of three pages: the one being read, the
/// waiting one and the one being sent.
final class PageHandoff<End: Sendable>: Sendable {
    private struct State {
        var page: [ListObject]?
        var end: Result<End, any Error>?
        var isAbandoned = false
    }

    private let state = Mutex(State())
    /// Signalled when there is a page or the end.
    private let filled = DispatchSemaphore(value: 0)
    /// Signalled when there is room for a page: at the start, and after each page that the sender removes.
    private let emptied = DispatchSemaphore(value: 0)

    init() {
        // The initial value of the semaphore is 0 because Dispatch traps when a semaphore is freed with less than
        // its initial value, as after ``put(_:)`` without a reader.
        emptied.signal()
    }

    // MARK: The thread that reads pages

    /// Passes on a page. Waits until the page before it was removed.
    ///
    /// - Throws: An error after ``abandon()``.
    func put(_ page: [ListObject]) throws(ListFault) {
        emptied.wait()
        let isAbandoned = state.withLock { state in
            if !state.isAbandoned { state.page = page }
            return state.isAbandoned
        }
        guard !isAbandoned else { throw ListFault("the list was stopped") }
        filled.signal()
    }

    /// Ends the sequence of pages, with a result or an error.
    func finish(_ end: Result<End, any Error>) {
        state.withLock { $0.end = end }
        filled.signal()
    }

    // MARK: The thread that sends pages

    /// Waits for the next page; `nil` = there are no more pages.
    ///
    /// - Throws: The error of the thread that reads pages.
    func next() throws -> [ListObject]? {
        filled.wait()
        let page = state.withLock { state in
            defer { state.page = nil }
            return state.page
        }
        if let page {
            emptied.signal()
            return page
        }
        // Lets a further call return `nil` too.
        filled.signal()
        if case .failure(let error) = state.withLock({ $0.end }) { throw error }
        return nil
    }

    /// The result of the thread that reads pages; `nil` before ``next()`` has returned `nil`.
    var end: End? { try? state.withLock { $0.end }?.get() }

    /// Accepts no more pages: ``put(_:)`` throws from now on.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        emptied.signal()
    }
}
