// SPDX-License-Identifier: Apache-2.0

internal import CPostgres
internal import Glibc
internal import PluginAPI

/// One connection to a server; it belongs to the thread or queue that made it, and waits there.
///
/// Nothing is kept in the session, so that a pooler may give each transaction to another one.
@safe final class Connection {
    /// How long a statement may take without saying anything.
    static let patience = Duration.seconds(30)

    /// The server, for messages.
    let host: String
    private let address: ServiceAddress
    // Made and freed by this object alone.
    private let connection: OpaquePointer

    /// Connects; waits for as long as that takes, 3 s for each host.
    ///
    /// - Parameter server: the one of the service's servers that it is to be; nil = whichever libpq chooses.
    init(_ address: ServiceAddress, to server: ServerAddress? = nil) throws(PostgresError) {
        let parameters = address.parameters + (server?.parameters ?? [])
        let made = unsafe CStrings.with(parameters.map(\.0)) { keys in
            unsafe CStrings.with(parameters.map(\.1)) { values in unsafe PQconnectdbParams(keys, values, 0) }
        }
        guard let connection = unsafe made else {
            throw PostgresError(kind: .connection, message: "\(address.text): no memory for a connection")
        }
        unsafe self.connection = connection
        self.address = address
        host = unsafe Self.text(PQhost(connection)) ?? ""
        guard unsafe PQstatus(connection) == CONNECTION_OK else {
            let text = unsafe Self.text(PQerrorMessage(connection)) ?? "no connection"
            // Before there is a server, libpq tells a mistake in the service file by its words alone.
            let hasServer = unsafe PQsocket(connection) >= 0
            let passes = text.contains("the database system is") || text.contains("too many")
            let isFinal = text.contains("FATAL:") && !passes || !hasServer && text.contains("service")
            throw fault(text, isFinal ? .refused : .connection)
        }
        // Such a database knows nothing of its texts; as UTF-8 it would refuse whole answers for one that is none.
        if unsafe Self.text(PQparameterStatus(connection, "server_encoding")) == "SQL_ASCII" {
            unsafe _ = PQsetClientEncoding(connection, "SQL_ASCII")
        }
    }

    deinit { unsafe PQfinish(connection) }

    /// The service and the server, for messages.
    var subject: String { host.isEmpty ? address.text : "\(address.text) (host \(host))" }

    /// The server, for another connection to the same one.
    var server: ServerAddress {
        ServerAddress(
            host: host, address: host.hasPrefix("/") ? "" : unsafe Self.text(PQhostaddr(connection)) ?? "",
            port: unsafe Self.text(PQport(connection)) ?? "")
    }

    /// Whether it can be asked anything.
    var isAlive: Bool { unsafe PQstatus(connection) == CONNECTION_OK }

    // MARK: Asking

    /// Runs one statement and answers its rows; `isBinary` = fields come as their types send them, else as text.
    @discardableResult
    func query(
        _ statement: String, _ parameters: [String?] = [], isBinary: Bool = false, within limit: Duration = patience
    ) throws(PostgresError) -> QueryResult {
        try send(statement, parameters, isBinary: isBinary)
        let deadline = ContinuousClock.now + limit
        var last: Result<QueryResult, PostgresError>?
        while let result = unsafe try next(before: deadline) {
            let status = unsafe PQresultStatus(result)
            if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK {
                last = unsafe .success(QueryResult(result))
            } else {
                last = unsafe .failure(refusal(result))
            }
        }
        guard let last else { throw fault("the server answered nothing", .connection) }
        return try last.get()
    }

    /// Runs a `COPY … TO STDOUT (FORMAT binary)` and hands out what comes, row by row, with the header before the first one.
    func copy(
        _ statement: String, _ body: (_ bytes: UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try send(statement, [], isBinary: true)
        let began = unsafe try next(before: .now + Self.patience)
        guard let began = unsafe began else { throw fault("the server answered nothing", .connection) }
        guard unsafe PQresultStatus(began) == PGRES_COPY_OUT else {
            let error = unsafe refusal(began)
            try drain()
            throw error
        }
        unsafe PQclear(began)
        while try unsafe copyRow(body) {}
        try drain()
    }

    private func copyRow(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        while true {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = unsafe PQgetCopyData(connection, &buffer, 1)
            if count == 0 {
                try wait(before: .now + Self.patience)
                continue
            }
            guard count > 0, let row = unsafe buffer else { return false }
            defer { unsafe PQfreemem(row) }
            unsafe try body(UnsafeRawBufferPointer(start: row, count: Int(count)))
            return true
        }
    }

    /// Takes what is left of the answers of a statement.
    private func drain() throws(PostgresError) {
        var failure: PostgresError?
        while let result = unsafe try next(before: .now + Self.patience) {
            let status = unsafe PQresultStatus(result)
            if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK {
                unsafe PQclear(result)
            } else {
                failure = unsafe refusal(result)
            }
        }
        if let failure { throw failure }
    }

    private func send(_ statement: String, _ parameters: [String?], isBinary: Bool) throws(PostgresError) {
        let sent = unsafe CStrings.with(parameters) { values in
            // Types NULL: the server finds them out; formats NULL: all of them are text.
            unsafe PQsendQueryParams(
                connection, statement, Int32(parameters.count), nil, values, nil, nil, isBinary ? 1 : 0)
        }
        guard sent == 1 else { throw fault(unsafe Self.text(PQerrorMessage(connection)) ?? "", .connection) }
    }

    /// Waits for the next answer; nil = there are no more. The caller owns it.
    private func next(before deadline: ContinuousClock.Instant) throws(PostgresError) -> OpaquePointer? {
        while unsafe PQisBusy(connection) == 1 { try wait(before: deadline) }
        return unsafe PQgetResult(connection)
    }

    private func wait(before deadline: ContinuousClock.Instant) throws(PostgresError) {
        let left = ContinuousClock.now.duration(to: deadline)
        let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else {
            cancel()
            throw fault("no answer within \(Self.patience.components.seconds) s", .connection)
        }
        var entry = pollfd(fd: unsafe PQsocket(connection), events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&entry, 1, Int32(clamping: milliseconds))
        if ready == 0 || ready < 0 && errno == EINTR { return }
        guard ready > 0, unsafe PQconsumeInput(connection) == 1 else {
            throw fault(unsafe Self.text(PQerrorMessage(connection)) ?? "", .connection)
        }
    }

    /// Has the server give up what it does; over a network that could wait for ever, and the connection is closed anyway.
    private func cancel() {
        guard host.hasPrefix("/"), let request = unsafe PQgetCancel(connection) else { return }
        var reason = [CChar](repeating: 0, count: 256)
        unsafe _ = PQcancel(request, &reason, Int32(reason.count))
        unsafe PQfreeCancel(request)
    }

    // MARK: Errors

    /// `PG_DIAG_SQLSTATE` and `PG_DIAG_MESSAGE_PRIMARY`, characters in C.
    private static let (stateField, messageField) = (Int32(UInt8(ascii: "C")), Int32(UInt8(ascii: "M")))

    /// What a refused statement says; the result is freed.
    private func refusal(_ result: OpaquePointer) -> PostgresError {
        let state = unsafe Self.text(PQresultErrorField(result, Self.stateField))
        let text = unsafe Self.text(PQresultErrorField(result, Self.messageField))
        let whole = unsafe Self.text(PQresultErrorMessage(result)) ?? ""
        unsafe PQclear(result)
        // Without a state it is libpq itself that speaks: of the connection.
        guard let state, isAlive else { return fault(text ?? whole, .connection) }
        // 57P01…03: the server goes down, or is not up yet.
        return fault(text ?? whole, state.hasPrefix("57P") ? .connection : .statement(state))
    }

    private func fault(_ text: String, _ kind: PostgresError.Kind) -> PostgresError {
        let said = text.isEmpty ? "the connection is gone" : text
        let secret = unsafe Self.text(PQpass(connection))
        return PostgresError(kind: kind, message: "\(subject): \(said.onOneLine(without: secret))")
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe String(cString: pointer)
    }
}

/// Texts as C has them.
enum CStrings {
    /// Lends an array of C strings, with a null pointer for nil and another one after all of them.
    static func with<Result>(
        _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        // Copies that live until `body` is done.
        var copies = unsafe [UnsafeMutablePointer<CChar>?]()
        for text in texts { unsafe copies.append(text.flatMap { unsafe strdup($0) }) }
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        var pointers = unsafe [UnsafePointer<CChar>?]()
        for index in unsafe copies.indices { unsafe pointers.append(copies[index].map { unsafe UnsafePointer($0) }) }
        unsafe pointers.append(nil)
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}
