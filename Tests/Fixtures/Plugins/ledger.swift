// SPDX-License-Identifier: Apache-2.0

// A data source that sends its list in pages, resumes from its cursor, and accepts writes.
//
// `ledger/rows?COUNT&page=ROWS&write=no` starts with COUNT rows. Its cursor is the number of the last write. The
// source stores nothing else.
import PluginAPI

/// Encodes a number as in the cursor: eight bytes in little-endian order.
private func bytes(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
private func number(_ bytes: [UInt8]) -> UInt64? {
    guard bytes.count == 8 else { return nil }
    return bytes.enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
}

final class Ledger: WritableDataSource {
    private let context: DataSourceContext
    private let count: Int
    private let page: Int
    let acceptsWrites: Bool
    /// The number of the last write.
    private var version: UInt64 = 0

    init(_ context: DataSourceContext) throws {
        let argument = try DataSourceArgument(context.argument) { ["page", "write"].contains($0) }
        guard let count = Int(argument.subject), count >= 0 else {
            throw ListError(.invalidArguments, "ledger/rows needs a number")
        }
        self.count = count
        page = max(1, try argument.options.integer("page") ?? 1000)
        acceptsWrites = try argument.options.boolean("write") ?? true
        self.context = context
    }

    private var progress: DataSourceProgress {
        DataSourceProgress(
            cursor: bytes(version), position: "write \(version)", synced: 1_700_000_000_000_000 + version)
    }

    private func row(_ index: Int) throws -> ListObject {
        try ListObject(id: "row \(index)", type: "row", fields: ["n": .int64(Int64(index))])
    }

    func start() throws {
        if let cursor = context.cursor, let version = number(cursor) {
            self.version = version
            context.logger.notice("goes on after write \(version)")
            return context.sink.ready(upTo: progress)
        }
        context.logger.notice("begins anew")
        try context.sink.replaceInPages { send in
            for start in stride(from: 0, to: count, by: page) {
                send(try (start..<min(start + page, count)).map(row))
            }
            return progress
        }
    }

    func write(_ write: DataSourceWrite) throws {
        if write.isConditional, write.cursor != bytes(version) {
            throw ListError(.revisionConflict, "the ledger has changed since the writer looked")
        }
        switch write.operation {
        case .replace(let objects):
            version += 1
            context.sink.replace(objects, upTo: progress)
            context.sink.wrote(write.id)
        case .changes(let removed, let upserts):
            version += 1
            context.sink.changes(removed: removed, upserts: upserts, upTo: progress)
            context.sink.wrote(write.id)
        case .patch(let id, let set, _): try patch(id, set, write)
        case .move: throw DataSourceWrite.unsupported
        @unknown default: throw DataSourceWrite.unsupported
        }
    }

    /// Executes the command in the new fields.
    private func patch(_ id: String, _ set: Fields, _ write: DataSourceWrite) throws {
        switch set["do"]?.string {
        case "offline": throw ListError(.sourceUnavailable, "no connection to the ledger")
        case "never": return
        case "die": fatalError("the ledger burns")
        case "nothing new":
            version += 1
            context.sink.ready(upTo: progress)
            context.sink.wrote(write.id)
        case "behind the list":  // simulates a write by another machine
            version += 1
            context.sink.wrote(write.id)
        case "later":
            version += 1
            let (upsert, progress) = (UpdateRequest.Upsert(try ListObject(id: id, type: "row", fields: set)), progress)
            context.after(.milliseconds(50)) { [context] in
                context.sink.changes(upserts: [upsert], upTo: progress)
                context.sink.wrote(write.id)
            }
        default:
            version += 1
            context.sink.changes(upserts: [.init(try ListObject(id: id, type: "row", fields: set))], upTo: progress)
            context.sink.wrote(write.id)
        }
    }
}

enum LedgerPlugin: Plugin {
    static func manifest(for host: PluginHost) -> PluginManifest {
        PluginManifest(
            name: "ledger", version: "1.0", dataSources: [.source("rows") { context in try Ledger(context) }])
    }
}

/// The entry point that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(LedgerPlugin.self, to: call) }
