// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// `patch`: changes some fields of one object.
struct PatchCommand: Command {
    static let syntax = CommandSyntax(
        name: "patch", group: .writing, summary: "Change some fields of one object.",
        operands: [.list, .init(name: "ID"), .init(name: "KEY=VALUE", arity: .any)],
        options: [.init(name: "unset", value: "KEY", summary: "Remove the field; may be given several times.")],
        discussion: [FieldWords.discussion])

    private let name: String
    private let id: String
    private let fields: Content
    private let unset: [String]

    init(_ invocation: Invocation) throws(UsageError) {
        name = invocation.operand("NAME")
        id = invocation.operand("ID")
        fields = try FieldWords.content(of: invocation.operands("KEY=VALUE"))
        unset = invocation.values(of: "unset")
        if fields.isEmpty && unset.isEmpty {
            throw UsageError(message: "patch takes at least one KEY=VALUE or --unset KEY")
        }
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let revision = try await daemon.adapter(name).call(
                "PatchObject", UInt64(0), id, fields, unset, returning: UInt64.self)
            context.print("revision \(revision): changed \(id)", json: ["revision": .uint64(revision)])
            return .done
        }
    }
}

/// `move`: moves one object to another place in its list.
struct MoveCommand: Command {
    static let syntax = CommandSyntax(
        name: "move", group: .writing, summary: "Move one object to another place; give one of the options.",
        operands: [.list, .init(name: "ID")],
        options: [
            .init(name: "first", summary: "To the start."), .init(name: "last", summary: "To the end."),
            .init(name: "before", value: "OTHER", summary: "Before another object."),
            .init(name: "after", value: "OTHER", summary: "After another object."),
        ])

    private let name: String
    private let id: String
    private let position: String
    private let anchor: String

    init(_ invocation: Invocation) throws(UsageError) {
        name = invocation.operand("NAME")
        id = invocation.operand("ID")
        var places: [(position: String, anchor: String)] = []
        for flag in ["first", "last"] where invocation.has(flag) { places.append((flag, "")) }
        for option in ["before", "after"] {
            if let anchor = invocation.value(of: option) { places.append((option, anchor)) }
        }
        guard places.count == 1 else {
            throw UsageError(message: "move takes one of --first, --last, --before, --after")
        }
        (position, anchor) = places[0]
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let revision = try await daemon.adapter(name).call(
                "MoveObject", UInt64(0), id, position, anchor, returning: UInt64.self)
            context.print("revision \(revision): moved \(id)", json: ["revision": .uint64(revision)])
            return .done
        }
    }
}

/// `delete`: removes objects from a list.
struct DeleteCommand: Command {
    static let syntax = CommandSyntax(
        name: "delete", group: .writing,
        summary: "Take objects out of a list; all of them, or none when one is not there.",
        operands: [.list, .init(name: "ID", arity: .atLeastOne)])

    private let name: String
    private let ids: [String]

    init(_ invocation: Invocation) {
        name = invocation.operand("NAME")
        ids = invocation.operands("ID")
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let adapter = try await daemon.adapter(name)
            // listd ignores unknown ids, but a user who mistyped an id needs an error.
            for id in ids {
                _ = try await adapter.call(
                    "FindObject", id, returning: UInt64.self, UInt32.self, String.self, Content.self)
            }
            let revision = try await adapter.call(
                "ApplyChanges", UInt64(0), ids, [Upsert](), [String: DBusValue](), returning: UInt64.self)
            let what = ids.count == 1 ? ids[0] : "\(ids.count) objects"
            context.print("revision \(revision): deleted \(what)", json: ["revision": .uint64(revision)])
            return .done
        }
    }
}

/// An object in a call of `ApplyChanges`: id, type, position, anchor, fields.
typealias Upsert = DBusStruct<String, String, String, String, Content>

/// `append`: adds objects to a list, or replaces objects with the same ids.
struct AppendCommand: Command {
    static let syntax = CommandSyntax(
        name: "append", group: .writing, summary: "Add objects to a list; what is there stays.",
        operands: [.list, .init(name: "FILE|KEY=VALUE", arity: .any, completion: .file)],
        options: [
            .init(name: "id", value: "ID", summary: "Add one object of this id, with the fields KEY=VALUE."),
            .init(name: "type", value: "TYPE", summary: "The type of that object."),
            .init(name: "first", summary: "Add at the start instead of the end."),
        ],
        discussion: [
            "Without --id, FILE has one object per line, as for “push”; - is standard input. If the list already has "
                + "an object with the same id, that object is replaced, and keeps its place unless --first is given.",
            FieldWords.discussion,
        ])

    private enum Objects {
        case one(MirroredObject)
        case lines(file: String)
    }

    /// The maximum number of objects in one call, and the number of bytes of their lines after which a call is sent.
    private static let batch = (objects: 1000, bytes: 1 << 20)

    private let name: String
    private let objects: Objects
    private let position: String

    init(_ invocation: Invocation) throws(UsageError) {
        name = invocation.operand("NAME")
        position = invocation.has("first") ? "first" : "keep"
        let words = invocation.operands("FILE|KEY=VALUE")
        if let id = invocation.value(of: "id") {
            let fields = try FieldWords.content(of: words)
            objects = .one(MirroredObject(id: id, type: invocation.value(of: "type") ?? "", fields: fields))
        } else {
            guard words.count == 1 else {
                throw UsageError(message: "append takes one FILE, or --id ID and KEY=VALUE words")
            }
            guard invocation.value(of: "type") == nil else { throw UsageError(message: "--type needs --id") }
            objects = .lines(file: words[0])
        }
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        switch objects {
        case .one(let object): return try await add(object, in: context)
        case .lines(let file):
            let lines: JSONLinesFile
            do throws(InputFile.Failure) {
                lines = try JSONLinesFile(file)
            } catch {
                Output.printMessage(file.contains("=") ? explanation(ofMissing: file) : error.message)
                return .noInput
            }
            return try await add(lines, in: context)
        }
    }

    private func explanation(ofMissing word: String) -> String {
        "there is no file “\(word)”; to add one object, give its id and its fields, as in "
            + "“listctl append \(name) --id ID \(word)”"
    }

    @DBusActor
    private func add(_ lines: JSONLinesFile, in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let adapter = try await daemon.adapter(name)
            let before = try await adapter.property("ObjectCount", as: UInt32.self)
            let progress = Progress("objects", total: lines.count)
            var (first, revision) = (0, UInt64(0))
            var ids = [String?](repeating: nil, count: lines.count)
            // With --first, objects are added from the last one on, so that they end up in the file's order.
            let order = position == "first" ? Array(lines.indices.reversed()) : Array(lines.indices)
            while first < order.count {
                var (batch, bytes) = ([Upsert](), 0)
                while first + batch.count < order.count, batch.count < Self.batch.objects, bytes < Self.batch.bytes {
                    let index = order[first + batch.count]
                    let object = try lines.object(at: index)
                    ids[index] = object.id
                    batch.append(makeUpsert(of: object))
                    bytes += lines.byteCount(at: index)
                }
                revision = try await apply(batch, to: adapter)
                first += batch.count
                progress.show(first)
            }
            progress.end()
            let after = try await adapter.property("ObjectCount", as: UInt32.self)
            let duplicates = lines.duplicates(amongIDs: ids)
            let count = lines.count - duplicates.count
            let added = min(count, max(0, Int(after) - Int(before)))
            printResult(added: added, replaced: count - added, revision: revision, in: context)
            lines.reportDuplicates(
                duplicates, outcome: position == "first" ? "was replaced by that one" : "replaced that one")
            return .done
        }
    }

    @DBusActor
    private func add(_ object: MirroredObject, in context: CommandContext) async throws(DBusError) -> ExitCode {
        try await context.withDaemon { daemon throws(DBusError) in
            let adapter = try await daemon.adapter(name)
            let isThere =
                (try? await adapter.call(
                    "FindObject", object.id, returning: UInt64.self, UInt32.self, String.self, Content.self)) != nil
            let revision = try await apply([makeUpsert(of: object)], to: adapter)
            printResult(added: isThere ? 0 : 1, replaced: isThere ? 1 : 0, revision: revision, in: context)
            return .done
        }
    }

    private func makeUpsert(of object: MirroredObject) -> Upsert {
        Upsert(object.id, object.type, position, "", object.fields)
    }

    /// Calls listd with the upserts, and returns the new revision.
    @DBusActor
    private func apply(_ batch: [Upsert], to adapter: RemoteObject) async throws(DBusError) -> UInt64 {
        try await adapter.call(
            "ApplyChanges", UInt64(0), [String](), batch, [String: DBusValue](), returning: UInt64.self,
            timeout: .seconds(600))
    }

    @DBusActor
    private func printResult(added: Int, replaced: Int, revision: UInt64, in context: CommandContext) {
        let counts = [("added", added), ("replaced", replaced)].filter { $0.1 > 0 }
        let what = counts.map { "\($0) \($1 == 1 ? "1 object" : "\($1) objects")" }.joined(separator: ", ")
        context.print(
            "revision \(revision): \(what.isEmpty ? "added 0 objects" : what)",
            json: ["revision": .uint64(revision), "objects": .int64(Int64(added + replaced))])
    }
}
