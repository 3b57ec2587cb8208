// SPDX-License-Identifier: Apache-2.0

internal import CPostgres
internal import Dispatch
internal import Glibc
internal import PluginAPI

/// One connection to a server, used only by the thread or queue that created it. Calls block that thread.
///
/// The session has no state between transactions, so that a pooler may run each transaction in another session.
@safe final class Connection {
    /// The maximum time to wait for data while a statement runs.
    static let responseTimeout = Duration.seconds(30)

    /// The interval at which `onSilence` is called.
    private static let silenceStep: Int32 = 100

    private var onSilence: ((Duration) -> Bool)?

    /// The server's host or socket directory, for messages.
    let host: String
    private let address: ServiceAddress
    // Created and freed by this object alone.
    private let connection: OpaquePointer
    /// The time within which the server must send data.
    private var limit = responseTimeout

    /// Has a function called about every 0.1 s while the server sends nothing, with the time since its last data. The
    /// statement is abandoned, and the connection with it, if it returns `false`.
    func whileSilent(_ isWaiting: @escaping (Duration) -> Bool) { onSilence = isWaiting }

    /// Connects to a server. Blocks for at most 3 s for each host.
    ///
    /// - Parameter server: The server to use if the service has several; `nil` = libpq chooses.
    /// - Throws: `connection` if no server answers; `refused` if a server rejects the login or the service does not
    ///   exist.
    init(_ address: ServiceAddress, to server: ServerAddress? = nil) throws(PostgresError) {
        let parameters = address.parameters + (server?.parameters ?? [])
        let made = unsafe CStrings.withArray(of: parameters.map(\.0)) { keys in
            unsafe CStrings.withArray(of: parameters.map(\.1)) { values in unsafe PQconnectdbParams(keys, values, 0) }
        }
        guard let connection = unsafe made else {
            throw PostgresError(
                kind: .connection, message: "\(address.text): there is not enough memory for a connection")
        }
        unsafe self.connection = connection
        self.address = address
        host = unsafe Self.text(PQhost(connection)) ?? ""
        guard unsafe PQstatus(connection) == CONNECTION_OK else {
            let text = unsafe Self.text(PQerrorMessage(connection)) ?? "the connection failed"
            // libpq has no error code for a mistake in the service file, but its message contains "service".
            let hasServer = unsafe PQsocket(connection) >= 0
            let isTemporary = text.contains("the database system is") || text.contains("too many")
            let isFinal = text.contains("FATAL:") && !isTemporary || !hasServer && text.contains("service")
            throw makeError(text, isFinal ? .refused : .connection)
        }
        // A server that hangs does not take a large parameter either, so sending must not block.
        unsafe _ = PQsetnonblocking(connection, 1)
        // Texts in such a database may be invalid UTF-8. With the client encoding UTF8, the server would reject the
        // whole result.
        if unsafe Self.text(PQparameterStatus(connection, "server_encoding")) == "SQL_ASCII" {
            unsafe _ = PQsetClientEncoding(connection, "SQL_ASCII")
        }
    }

    deinit { unsafe PQfinish(connection) }

    /// The service and the server, for messages.
    var subject: String { host.isEmpty ? address.text : "\(address.text) (host \(host))" }

    /// The address of the server, for another connection to the same server.
    var server: ServerAddress {
        ServerAddress(
            host: host, address: host.hasPrefix("/") ? "" : unsafe Self.text(PQhostaddr(connection)) ?? "",
            port: unsafe Self.text(PQport(connection)) ?? "")
    }

    /// Whether the connection can run a statement.
    var isAlive: Bool { unsafe PQstatus(connection) == CONNECTION_OK }

    // MARK: Statements

    /// Runs one statement and returns its rows. The fields are in the binary format of their types if `isBinary`,
    /// else in text format.
    @discardableResult
    func query(
        _ statement: String, _ parameters: [String?] = [], isBinary: Bool = false,
        within limit: Duration = responseTimeout
    ) throws(PostgresError) -> QueryResult {
        self.limit = limit
        defer { self.limit = Self.responseTimeout }
        try send(statement, parameters, isBinary: isBinary)
        let deadline = ContinuousClock.now + limit
        var last: Result<QueryResult, PostgresError>?
        while let result = unsafe try nextResult(before: deadline) {
            let status = unsafe PQresultStatus(result)
            if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK {
                last = unsafe .success(QueryResult(result))
            } else {
                last = unsafe .failure(statementError(result))
            }
        }
        guard let last else { throw makeError("the server sent no result", .connection) }
        return try last.get()
    }

    /// Runs a `COPY … TO STDOUT (FORMAT binary)` and calls `body` with the bytes of each row. The first call has
    /// the header before its row.
    func copyRows(
        _ statement: String, _ body: (_ bytes: UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try send(statement, [], isBinary: true)
        let began = unsafe try nextResult(before: .now + Self.responseTimeout)
        guard let began = unsafe began else { throw makeError("the server sent no result", .connection) }
        guard unsafe PQresultStatus(began) == PGRES_COPY_OUT else {
            let error = unsafe statementError(began)
            try drain()
            throw error
        }
        unsafe PQclear(began)
        while try unsafe copyRow(body) {}
        try drain()
    }

    /// Calls `body` with the bytes of the next row. Returns `false` after the last row.
    private func copyRow(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        while true {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = unsafe PQgetCopyData(connection, &buffer, 1)
            if count == 0 {
                try waitForData(before: .now + Self.responseTimeout)
                continue
            }
            guard count > 0, let row = unsafe buffer else { return false }
            defer { unsafe PQfreemem(row) }
            unsafe try body(UnsafeRawBufferPointer(start: row, count: Int(count)))
            return true
        }
    }

    /// Reads the remaining results of a statement, and throws if one of them is an error.
    private func drain() throws(PostgresError) {
        var failure: PostgresError?
        while let result = unsafe try nextResult(before: .now + Self.responseTimeout) {
            let status = unsafe PQresultStatus(result)
            if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK {
                unsafe PQclear(result)
            } else {
                failure = unsafe statementError(result)
            }
        }
        if let failure { throw failure }
    }

    private func send(_ statement: String, _ parameters: [String?], isBinary: Bool) throws(PostgresError) {
        let sent = unsafe CStrings.withArray(of: parameters) { values in
            // Types NULL: the server infers them. Formats NULL: all parameters are text.
            unsafe PQsendQueryParams(
                connection, statement, Int32(parameters.count), nil, values, nil, nil, isBinary ? 1 : 0)
        }
        guard sent == 1 else { throw makeError(unsafe Self.text(PQerrorMessage(connection)) ?? "", .connection) }
        let deadline = ContinuousClock.now + limit
        while true {
            let left = unsafe PQflush(connection)
            guard left >= 0 else { throw makeError(unsafe Self.text(PQerrorMessage(connection)) ?? "", .connection) }
            if left == 0 { return }
            try waitForData(before: deadline, orRoom: true)
        }
    }

    /// Waits for the next result of a statement, which the caller must free; `nil` = there are no more results.
    private func nextResult(before deadline: ContinuousClock.Instant) throws(PostgresError) -> OpaquePointer? {
        while unsafe PQisBusy(connection) == 1 { try waitForData(before: deadline) }
        return unsafe PQgetResult(connection)
    }

    /// Waits until the server sends data, or can take more of a statement.
    private func waitForData(before deadline: ContinuousClock.Instant, orRoom: Bool = false) throws(PostgresError) {
        let began = ContinuousClock.now
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
            guard milliseconds > 0 else { throw abandon(after: limit) }
            let step = min(Int32(clamping: milliseconds), onSilence == nil ? .max : Self.silenceStep)
            var entry = pollfd(
                fd: unsafe PQsocket(connection), events: Int16(orRoom ? POLLIN | POLLOUT : POLLIN), revents: 0)
            let ready = unsafe poll(&entry, 1, step)
            if ready == 0 || ready < 0 && errno == EINTR {
                let silence = began.duration(to: .now)
                if let onSilence, !onSilence(silence) { throw abandon(after: silence) }
                continue
            }
            guard ready > 0, unsafe PQconsumeInput(connection) == 1 else {
                throw makeError(unsafe Self.text(PQerrorMessage(connection)) ?? "", .connection)
            }
            return
        }
    }

    /// Asks the server to cancel the statement, and returns the error for the caller, who closes the connection.
    private func abandon(after time: Duration) -> PostgresError {
        cancel()
        return makeError("the server has not answered for \(time.inSeconds) s", .connection)
    }

    /// Asks the server to cancel the statement, on another thread: PQcancel waits for the server without a limit.
    private func cancel() {
        guard let request = unsafe PQgetCancel(connection) else { return }
        let cancellation = unsafe Cancellation(request: request)
        DispatchQueue.global().async { cancellation.send() }
    }

    /// A request to cancel a statement, sent once, by one thread.
    @safe private final class Cancellation: @unchecked Sendable {
        // A copy of the connection's address and key, which this object owns and frees.
        private let request: OpaquePointer

        init(request: OpaquePointer) { unsafe self.request = request }

        func send() {
            var reason = [CChar](repeating: 0, count: 256)
            unsafe _ = PQcancel(request, &reason, Int32(reason.count))
        }

        deinit { unsafe PQfreeCancel(request) }
    }

    // MARK: Errors

    /// `PG_DIAG_SQLSTATE` and `PG_DIAG_MESSAGE_PRIMARY`, which are character constants in C.
    private static let (stateField, messageField) = (Int32(UInt8(ascii: "C")), Int32(UInt8(ascii: "M")))

    /// Returns the error of a failed statement, and frees the result.
    private func statementError(_ result: OpaquePointer) -> PostgresError {
        let state = unsafe Self.text(PQresultErrorField(result, Self.stateField))
        let text = unsafe Self.text(PQresultErrorField(result, Self.messageField))
        let whole = unsafe Self.text(PQresultErrorMessage(result)) ?? ""
        unsafe PQclear(result)
        // An error without a SQLSTATE comes from libpq and concerns the connection.
        guard let state, isAlive else { return makeError(text ?? whole, .connection) }
        // 57P01 to 57P03: the server shuts down or starts.
        return makeError(text ?? whole, state.hasPrefix("57P") ? .connection : .statement(state))
    }

    private func makeError(_ text: String, _ kind: PostgresError.Kind) -> PostgresError {
        let reason = text.isEmpty ? "the connection was lost" : text
        let secret = unsafe Self.text(PQpass(connection))
        return PostgresError(kind: kind, message: "\(subject): \(reason.onOneLine(without: secret))")
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe String(cString: pointer)
    }
}

/// Passes Swift strings to C functions.
enum CStrings {
    /// Calls `body` with a null-terminated array of C strings; `nil` becomes a null pointer.
    static func withArray<Result>(
        of texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        // Copies that are freed after `body`.
        var copies = unsafe [UnsafeMutablePointer<CChar>?]()
        for text in texts { unsafe copies.append(text.flatMap { unsafe strdup($0) }) }
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        var pointers = unsafe [UnsafePointer<CChar>?]()
        for index in unsafe copies.indices { unsafe pointers.append(copies[index].map { unsafe UnsafePointer($0) }) }
        unsafe pointers.append(nil)
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}

extension Duration {
    /// The duration in whole seconds, rounded.
    var inSeconds: Int64 { (self + .milliseconds(500)).components.seconds }
}

/// The rows of a statement, used only by the thread that ran the statement.
@safe final class QueryResult {
    /// The number of rows.
    let count: Int
    // Freed with this object.
    private let result: OpaquePointer

    /// Takes ownership of a result of libpq.
    init(_ result: OpaquePointer) {
        unsafe self.result = result
        count = unsafe Int(PQntuples(result))
    }

    deinit { unsafe PQclear(result) }

    /// The number of rows that the statement changed.
    var affected: Int { Int(unsafe String(cString: PQcmdTuples(result))) ?? 0 }

    /// Returns the text of a field; `nil` = NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        unsafe bytes(row, column).map { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The text of the first field of the first row; `nil` = NULL, or there is no row.
    var firstText: String? { count > 0 ? text(0, 0) : nil }

    /// Splits a row in PostgreSQL's text format, `(a,"b,c",)`, into its fields; `nil` = NULL.
    ///
    /// The fields must not contain quotation marks or backslashes; numbers and snapshots do not.
    static func fields(of row: String) -> [String?] {
        var fields: [String?] = [nil]
        var isQuoted = false
        for character in row.dropFirst().dropLast() {
            switch character {
            case "\"":
                isQuoted.toggle()
                fields[fields.count - 1] = fields[fields.count - 1] ?? ""
            case "," where !isQuoted: fields.append(nil)
            default: fields[fields.count - 1] = (fields[fields.count - 1] ?? "") + String(character)
            }
        }
        return fields
    }

    /// Returns the bytes of a field, which are valid as long as this object exists; `nil` = NULL.
    @unsafe func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(row), Int32(column))
        guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
        return unsafe UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }
}

/// The result of `listd.hello()`, which is called on each new connection.
struct Hello {
    /// Identifies the server's sequence of transaction numbers. Numbers of different sequences cannot be compared.
    let generation: String
    let isStandby: Bool
    /// The service and the host, for messages.
    let subject: String

    /// Calls `listd.hello()`.
    ///
    /// - Throws: `refused` if the database does not have the extension listd, or has another major version of it.
    init(_ connection: Connection) throws(PostgresError) {
        subject = connection.subject
        let answer: QueryResult
        do throws(PostgresError) {
            answer = try connection.query("SELECT version, generation, standby FROM listd.hello()")
        } catch {
            // SQLSTATEs of an undefined schema, function, table and column.
            guard error.isStatementFailure(withState: "3F000", "42883", "42P01", "42703") else { throw error }
            throw PostgresError(
                kind: .refused,
                message:
                    "\(connection.subject): the database has no extension listd: run CREATE EXTENSION listd, or the script listd.sql"
            )
        }
        let version = answer.firstText ?? ""
        guard version.split(separator: ".").first == "1" else {
            throw PostgresError(
                kind: .refused,
                message:
                    "\(connection.subject): the extension listd has version \(version.quoted), but this plugin needs version 1"
            )
        }
        guard let generation = answer.text(0, 1) else {
            throw PostgresError(
                kind: .connection, message: "\(connection.subject): listd.hello() returned no generation")
        }
        self.generation = generation
        isStandby = answer.text(0, 2) == "t"
    }
}

/// An error of a server or of the connection to it.
struct PostgresError: Error {
    /// The kind of failure.
    enum Kind: Equatable {
        /// There is no connection, or the connection can no longer be used.
        case connection
        /// A statement failed with this SQLSTATE on a working connection.
        case statement(String)
        /// Authentication failed, or the service does not exist: an administrator has to change something.
        case refused
    }

    let kind: Kind
    /// The message, on one line and without secrets.
    let message: String

    /// Returns whether a statement failed with one of these SQLSTATEs.
    func isStatementFailure(withState states: String...) -> Bool {
        if case .statement(let state) = kind { states.contains(state) } else { false }
    }
}

/// An error that concerns one list, and not the other lists of the service.
struct ListFault: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

extension String {
    /// Returns the text on one line, with `…` in place of a secret.
    ///
    /// libpq writes a line for each host that it tried, and asks whether the server is running. Repeated lines and that
    /// question are left out, and the others are separated by `;`.
    func onOneLine(without secret: String? = nil) -> String {
        var lines: [Substring] = []
        for line in split(whereSeparator: \.isNewline).map({ $0.drop { $0 == " " || $0 == "\t" } })
        where !lines.contains(line) && !line.hasPrefix("Is the server running ") {
            lines.append(line)
        }
        var text = lines.joined(separator: "; ")
        if let secret, !secret.isEmpty { text.replace(secret, with: "…") }
        return text
    }

    /// The text as a quoted SQL identifier.
    var asIdentifier: String { "\"" + replacing("\"", with: "\"\"") + "\"" }

    /// The text in quotation marks, truncated after 64 characters.
    var quoted: String { count > 64 ? "“\(prefix(64))…”" : "“\(self)”" }
}
