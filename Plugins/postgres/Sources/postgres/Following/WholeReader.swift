// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import PluginAPI

/// Reads whole lists of one service, one after the other, on a connection and a queue of its own, so that lists that are followed
/// do not wait for a long one.
final class WholeReader: Sendable {
    /// How it ended.
    enum Outcome: Sendable {
        case done(ListCursor, ListDescription, RowReader.Losses)
        /// The list cannot be read, whatever its service is like.
        case fault(String)
        /// The service cannot be reached.
        case unreachable(String)
    }

    /// How many bytes of fields go to the list at once.
    private static let pageBytes = 256 << 10
    private static let pageRows = 4096

    private let address: ServiceAddress
    private let queue: DispatchQueue

    init(_ address: ServiceAddress) {
        self.address = address
        queue = DispatchQueue(label: "org.listd.postgres.read.\(address.service)")
    }

    /// Reads a list from a server; `done` is called on the queue, when the list has all of it.
    func read(_ list: FollowedList, from server: ServerAddress, done: @escaping @Sendable (Outcome) -> Void) {
        queue.async { [address] in
            guard !list.hasLeft else { return done(.fault("the list is gone")) }
            do {
                done(try Self.read(list, on: try Connection(address, to: server)))
            } catch let error as PostgresError {
                if case .statement = error.kind {
                    done(.fault(error.message))
                } else {
                    done(.unreachable(error.message))
                }
            } catch let error as ListFault {
                done(.fault("\(address.text): \(error.message)"))
            } catch {
                done(.fault("\(address.text): \((error as? ListError)?.message ?? "\(error)")"))
            }
        }
    }

    private static func read(_ list: FollowedList, on connection: Connection) throws -> Outcome {
        let hello = try Hello(connection)
        try connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let now = try connection.query("SELECT pg_current_snapshot()::text, listd.generation()")
        guard let snapshot = now.text(0, 0), now.text(0, 1) == hello.generation else {
            throw PostgresError(kind: .connection, message: "\(hello.subject): the server was exchanged meanwhile")
        }
        let name = list.options.name
        guard let description = try ListDescription.ask(connection, for: [name])[name]?.get() else {
            throw ListFault("the database does not answer for the list \(name.quoted)")
        }
        if !description.isUnique, let id = try connection.query(description.duplicateStatement).firstText {
            throw ListFault("\(description.relation): the id \(id.quoted) occurs more than once")
        }
        let cursor = ListCursor(
            generation: hello.generation, snapshot: snapshot, fingerprint: description.fingerprint)
        var reader = RowReader(description, largest: list.options.largest)
        let synced = WallClock.now
        try list.sink.replaceInPages { send in
            var copy = CopyReader()
            var (page, bytes): ([ListObject], Int) = ([], 0)
            unsafe try connection.copy(description.snapshotStatement) { chunk in
                guard !list.hasLeft else { throw ListFault("the list is gone") }
                guard unsafe try copy.read(chunk),
                    let object = unsafe try reader.object({ index, body in unsafe copy.field(index, of: chunk, body) })
                else { return }
                page.append(object)
                bytes += object.byteCount
                guard bytes >= pageBytes || page.count >= pageRows else { return }
                send(page)
                page.removeAll(keepingCapacity: true)
                bytes = 0
            }
            if !page.isEmpty { send(page) }
            return cursor.progress(synced: synced)
        }
        _ = try? connection.query("COMMIT")
        return .done(cursor, description, reader.losses)
    }
}
