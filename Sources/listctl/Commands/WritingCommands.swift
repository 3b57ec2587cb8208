// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient

extension Command {
    /// `patch`: changes some fields of one object.
    static let patch = Command(
        name: "patch", group: .writing, summary: "Change some fields of one object.",
        operands: [.list, .init(name: "ID"), .init(name: "KEY=VALUE", arity: .any)],
        options: [.init(name: "unset", value: "KEY", summary: "Remove the field; may be given several times.")],
        discussion: [fieldWords]
    ) { invocation throws(UsageError) in
        let name = invocation.operand("NAME")
        let id = invocation.operand("ID")
        let fields = try Content(words: invocation.operands("KEY=VALUE"))
        let unset = invocation.values(of: "unset")
        if fields.isEmpty && unset.isEmpty {
            throw UsageError(message: "patch takes at least one KEY=VALUE or --unset KEY")
        }
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                let revision = try await daemon.adapter(name).call(
                    "PatchObject", UInt64(0), id, fields, unset, returning: UInt64.self)
                context.print("revision \(revision): changed \(id)", json: ["revision": .uint64(revision)])
                return .done
            }
        }
    }

    /// `move`: moves one object to another place in its list.
    static let move = Command(
        name: "move", group: .writing, summary: "Move one object to another place; give one of the options.",
        operands: [.list, .init(name: "ID")],
        options: [
            .init(name: "first", summary: "To the start."), .init(name: "last", summary: "To the end."),
            .init(name: "before", value: "OTHER", summary: "Before another object."),
            .init(name: "after", value: "OTHER", summary: "After another object."),
        ]
    ) { invocation throws(UsageError) in
        let name = invocation.operand("NAME")
        let id = invocation.operand("ID")
        var places: [(position: String, anchor: String)] = []
        for flag in ["first", "last"] where invocation.has(flag) { places.append((flag, "")) }
        for option in ["before", "after"] {
            if let anchor = invocation.value(of: option) { places.append((option, anchor)) }
        }
        guard places.count == 1 else {
            throw UsageError(message: "move takes one of --first, --last, --before, --after")
        }
        let (position, anchor) = places[0]
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                let revision = try await daemon.adapter(name).call(
                    "MoveObject", UInt64(0), id, position, anchor, returning: UInt64.self)
                context.print("revision \(revision): moved \(id)", json: ["revision": .uint64(revision)])
                return .done
            }
        }
    }

    /// `delete`: removes objects from a list.
    static let delete = Command(
        name: "delete", group: .writing,
        summary: "Take objects out of a list; all of them, or none when one is not there.",
        operands: [.list, .init(name: "ID", arity: .atLeastOne)]
    ) { invocation in
        let name = invocation.operand("NAME")
        let ids = invocation.operands("ID")
        return { context throws(DBusError) in
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

    /// `append`: adds objects to a list, or replaces objects with the same ids.
    static let append = Command(
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
            fieldWords,
        ]
    ) { invocation throws(UsageError) in
        let appending = Appending(
            name: invocation.operand("NAME"), position: invocation.has("first") ? "first" : "keep")
        let words = invocation.operands("FILE|KEY=VALUE")
        if let id = invocation.value(of: "id") {
            let type = invocation.value(of: "type") ?? ""
            let object = MirroredObject(id: id, type: type, fields: try Content(words: words))
            return { context throws(DBusError) in try await appending.add(object, in: context) }
        }
        guard words.count == 1 else {
            throw UsageError(message: "append takes one FILE, or --id ID and KEY=VALUE words")
        }
        guard invocation.value(of: "type") == nil else { throw UsageError(message: "--type needs --id") }
        let file = words[0]
        return { context throws(DBusError) in try await appending.add(linesOf: file, in: context) }
    }

    /// `push`: replaces all objects of a list.
    static let push = Command(
        name: "push", group: .writing, summary: "Make the objects of a file the whole content of a list.",
        operands: [.list, .init(name: "FILE", completion: .file)],
        options: [
            .init(name: "replace", summary: "On a terminal, push even if that removes more than half of the objects."),
            .init(
                name: "revision", value: "N",
                summary: "Push only if the list is still at revision N, from which FILE was made."),
        ],
        discussion: [
            "FILE has one object per line: {\"id\": \"...\", \"type\": \"...\", \"fields\": {...}}; - is standard "
                + "input. Objects that are not in the file are removed from the list; “append” only adds. On a "
                + "terminal, a push that would remove more than half of the objects is refused without --replace. "
                + "If the list's source accepts writes, as one in PostgreSQL, they are deleted there too.",
            "A push is refused if somebody else writes to the list meanwhile: what they wrote would be gone. With "
                + "--revision, it is refused if that happened since revision N (“listctl --json list” prints revisions).",
            "FILE may be the output of “--json show”; the member “section” of its objects is ignored. Of several "
                + "objects with the same id, the first is used, and the lines of the others are named on standard "
                + "error.",
        ]
    ) { invocation throws(UsageError) in
        let pushing = try Pushing(invocation)
        return { context throws(DBusError) in try await pushing.run(in: context) }
    }

    /// `invoke`: requests an action on an item.
    static let invoke = Command(
        name: "invoke", group: .writing, summary: "Ask for an action on an item, as a click in a viewer does.",
        operands: [.list, .init(name: "ID"), .init(name: "ACTION"), .init(name: "KEY=VALUE", arity: .any)],
        options: [
            .init(
                name: "item", value: "NUMBER",
                summary: "The index of the item in the object; by default 0, "
                    + "the first.")
        ],
        discussion: [
            "The section controller is asked first, then the programs of the list's owner that listen. The command "
                + "fails if none of them handled the action.",
            fieldWords,
        ]
    ) { invocation throws(UsageError) in
        let name = invocation.operand("NAME")
        let id = invocation.operand("ID")
        let action = invocation.operand("ACTION")
        let parameters = try Content(words: invocation.operands("KEY=VALUE"))
        let item = UInt32(try invocation.number(of: "item", in: 0...Int(UInt32.max)) ?? 0)
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                let view = try await ListViewClient.open(
                    try await daemon.adapter(name), options: ["layout": .string("none")]
                ) { _ in }
                let isHandled = try await view.object.call(
                    "Invoke", id, item, action, parameters, returning: Bool.self)
                await view.close()
                if context.json {
                    Output.writeJSON(["handled": .boolean(isHandled)])
                } else if !isHandled {
                    Output.printMessage("nobody handles the action “\(action)” on the object “\(id)”")
                }
                return isHandled ? .done : .failed
            }
        }
    }
}

/// An object in a call of `ApplyChanges`: id, type, position, anchor, fields.
typealias Upsert = DBusStruct<String, String, String, String, Content>

/// The adding of objects to a list by `append`.
private struct Appending {
    let name: String
    /// The position of new objects, as `ApplyChanges` names it.
    let position: String

    /// The maximum number of objects in one call, and the number of bytes of their lines after which a call is sent.
    private static let batch = (objects: 1000, bytes: 1 << 20)

    @DBusActor
    func add(linesOf file: String, in context: CommandContext) async throws(DBusError) -> ExitCode {
        let lines: JSONLinesFile
        do throws(DBusError) {
            lines = try JSONLinesFile(file)
        } catch  where file.contains("=") {
            throw InputFile.unreadable(
                "there is no file “\(file)”; to add one object, give its id and its fields, as in "
                    + "“listctl append \(name) --id ID \(file)”")
        }
        return try await context.withDaemon { daemon throws(DBusError) in
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
    func add(_ object: MirroredObject, in context: CommandContext) async throws(DBusError) -> ExitCode {
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

/// The replacement of a list's objects by `push`.
private struct Pushing {
    private let name: String
    private let file: String
    private let replaces: Bool
    /// The revision that the list must have; nil = the one that it has when the command begins.
    private let revision: UInt64?

    init(_ invocation: Invocation) throws(UsageError) {
        name = invocation.operand("NAME")
        file = invocation.operand("FILE")
        replaces = invocation.has("replace")
        revision = try invocation.number(of: "revision", in: 1...Int.max).map { UInt64($0) }
    }

    @DBusActor
    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        let opened = FileDescriptor(adopting: try InputFile.open(file))
        return try await context.withDaemon { daemon throws(DBusError) in
            let adapter = try await daemon.adapter(name)
            // The list is read before the file: the program that writes the file may take long, or read the list itself.
            var known = KnownState(
                time: Self.now, revision: try await adapter.property("Revision", as: UInt64.self), isGiven: false)
            if let revision { known = KnownState(time: known.time, revision: revision, isGiven: true) }
            let source = try InputFile.rereadable(opened, named: file)
            // Only a person at a terminal is asked to confirm a push that removes most objects; a script is not.
            let ids = isatty(STDERR_FILENO) == 1 && !replaces ? try JSONLinesFile(file, rereading: source).ids : nil
            while true {
                let before = try await adapter.property("ObjectCount", as: UInt32.self)
                if let ids, try await !isConfirmed(ids, adapter) { return .failed }
                do throws(DBusError) {
                    let new = try await push(source, expecting: known.revision, to: adapter)
                    guard try await !reportOverwriting(known, new: new, of: daemon) else { return .failed }
                    return try await printResult(
                        revision: new, countBefore: before, pushed: source, to: adapter, in: context)
                } catch  where error.name == ListdErrorName.revisionConflict {
                    let present = try await adapter.property("Revision", as: UInt64.self)
                    guard try await !reportConflict(known, present: present, of: daemon) else { return .failed }
                    // The section controllers changed the list, and no contents are lost.
                    known = KnownState(time: known.time, revision: present, isGiven: false)
                }
            }
        }
    }

    /// The state of the list that the file replaces.
    private struct KnownState {
        /// When the revision was read, in microseconds since 1970.
        let time: UInt64
        let revision: UInt64
        /// Whether the command line names the revision.
        let isGiven: Bool
    }

    private static var now: UInt64 { UInt64(Date().timeIntervalSince1970 * 1_000_000) }

    /// Prints who has changed the list, so that the push was refused. Returns `false` if nobody has written to the list
    /// since its revision was read, but section controllers have changed their items.
    @DBusActor
    private func reportConflict(
        _ known: KnownState, present: UInt64, of daemon: ListDaemonClient
    ) async throws(DBusError) -> Bool {
        let writer = try await lastWriter(since: known, of: daemon)
        guard writer != nil || known.isGiven else { return false }
        let since = known.isGiven ? "is not at revision \(known.revision) any more" : "changed during the push"
        Output.printMessage(
            "the list “\(name)” \(since): it is at revision \(present)\(writer.map { ", written by \($0)" } ?? ""); "
                + "nothing was pushed. Look at it (“listctl show”), and push again what is meant "
                + "with --revision \(present)")
        return true
    }

    /// Prints a message if the list was empty and new when the command began, and got contents before the push. A
    /// list at revision 0 cannot be protected, because listd compares no revision then.
    @DBusActor
    private func reportOverwriting(
        _ known: KnownState, new: UInt64, of daemon: ListDaemonClient
    ) async throws(DBusError) -> Bool {
        guard known.revision == 0, new > 1 else { return false }
        let rows = try await daemon.adapters().first { $0.name == name }
        guard let writer = rows?.values.text("last-writer") else { return false }
        Output.printMessage(
            "the list “\(name)” was new, and somebody else wrote to it during this push, which replaced that "
                + "(revision \(new), written by \(writer)); the other writer has to push again")
        return true
    }

    /// Returns who has written to the list since its revision was read, with the time; nil if nobody has.
    @DBusActor
    private func lastWriter(
        since known: KnownState, of daemon: ListDaemonClient
    ) async throws(DBusError) -> String? {
        let values = try await daemon.adapters().first { $0.name == name }?.values ?? [:]
        guard let time = values.number("last-write"), known.isGiven || time >= known.time,
            let user = values.text("last-writer")
        else { return nil }
        return "\(user) at \(FieldHint.timeInMicroseconds.text(of: .uint64(time)) ?? "")"
    }

    /// Returns whether the push leaves at least half of the list's objects; prints a message if it does not.
    @DBusActor
    private func isConfirmed(_ ids: Set<String>, _ adapter: RemoteObject) async throws(DBusError) -> Bool {
        let (before, removed) = try await Self.countObjects(of: adapter, missingIn: ids)
        guard removed * 2 > before else { return true }
        Output.printMessage(
            "push would remove \(removed) of the \(before) objects of “\(name)”, and leave \(ids.count); "
                + "use --replace if that is meant, or append to add")
        return false
    }

    /// Makes listd read the file. If listd refuses the member “section”, which `show --json` writes, the file is sent
    /// again without that member.
    ///
    /// - Returns: the new revision.
    @DBusActor
    private func push(
        _ source: FileDescriptor, expecting revision: UInt64, to adapter: RemoteObject
    ) async throws(DBusError) -> UInt64 {
        do throws(DBusError) {
            return try await callWithFile(source, expecting: revision, to: adapter)
        } catch  where error.message.contains("unknown key “\(JSONLinesFile.section)”") {
            let bytes = try JSONLinesFile(file, rereading: source).withoutSections
            let stripped = try InputFile.memoryFile(containing: bytes, named: file)
            return try await callWithFile(stripped, expecting: revision, to: adapter)
        }
    }

    /// Calls listd with the file, and returns the new revision.
    @DBusActor
    private func callWithFile(
        _ source: FileDescriptor, expecting revision: UInt64, to adapter: RemoteObject
    ) async throws(DBusError) -> UInt64 {
        do throws(DBusError) {
            return try await adapter.call(
                "PerformUpdatesFromFile", revision, source, "jsonl", [String: DBusValue](), returning: UInt64.self,
                timeout: .seconds(3600))
        } catch {
            throw JSONLinesFile.addingLocation(to: error, in: file)
        }
    }

    @DBusActor
    private func printResult(
        revision: UInt64, countBefore: UInt32, pushed source: FileDescriptor, to adapter: RemoteObject,
        in context: CommandContext
    ) async throws(DBusError) -> ExitCode {
        let after = try await adapter.property("ObjectCount", as: UInt32.self)
        context.print(
            "revision \(revision): \(after) object\(after == 1 ? "" : "s") in place of \(countBefore)",
            json: ["revision": .uint64(revision), "objects": .uint32(after), "objects-before": .uint32(countBefore)])
        let lines = try JSONLinesFile(file, rereading: source)
        // listd keeps the first object of each id, and does not report the others.
        if lines.count > Int(after) { lines.reportDuplicates(lines.duplicates, outcome: "was left out") }
        return .done
    }

    /// Returns the number of the list's objects, and how many of them have none of the given ids.
    @DBusActor
    private static func countObjects(
        of adapter: RemoteObject, missingIn ids: Set<String>
    ) async throws(DBusError) -> (count: UInt32, missing: UInt32) {
        let before = try await ListedObjects(of: adapter)
        var missing: UInt32 = 0
        for place in 0..<before.count where !ids.contains(try before.row(place).leading[0]) { missing += 1 }
        return (UInt32(before.count), missing)
    }
}

/// The names of the fields of a list's first objects, for warnings about field names that may be mistyped.
struct KnownFields {
    private let names: Set<String>
    /// The names of fields whose value is a text in at least one object.
    private let textNames: Set<String>
    private let isWhole: Bool

    /// The maximum number of objects that are read.
    static let sampleSize: UInt32 = 1000

    /// - Parameter isWhole: whether the contents are those of all objects of the list.
    init(of contents: some Sequence<Content>, isWhole: Bool) {
        var (names, texts) = (Set<String>(), Set<String>())
        let all = FieldTexts(hints: [:])
        for content in contents {
            names.formUnion(all.texts(of: content).map(\.name))
            for case (let key, .string) in content.map({ ($0.key, $0.value.unwrapped) }) { texts.insert(key) }
        }
        (self.names, textNames, self.isWhole) = (names, texts, isWhole)
    }

    /// Reads the first objects of a list.
    @DBusActor
    init(of adapter: RemoteObject) async throws(DBusError) {
        typealias Row = DBusStruct<String, String, Content>
        let (_, _, total, rows) = try await adapter.call(
            "GetObjects", UInt32(0), Self.sampleSize, returning: String.self, UInt64.self, UInt32.self, [Row].self)
        self.init(of: rows.map(\.members.2), isWhole: rows.count >= Int(total))
    }

    /// Prints a warning for each field that no object has.
    func warn(aboutUnknown fields: [String]) {
        for field in fields where !names.isEmpty && !names.contains(field) {
            Output.printMessage("\(subject) has a field “\(field)”; the fields are \(Self.listed(names))")
        }
    }

    /// Prints a warning for each field that no object has, or whose value is a text in no object. A search reads text
    /// fields only.
    func warn(aboutSearched fields: [String]) {
        warn(aboutUnknown: fields)
        for field in fields where names.contains(field) && !textNames.contains(field) {
            Output.printMessage(
                "\(subject) has text in the field “\(field)”; --in searches text fields only: "
                    + (textNames.isEmpty ? "there are none" : Self.listed(textNames)))
        }
    }

    /// The subject of a warning's sentence.
    private var subject: String { isWhole ? "no object" : "none of the first objects" }

    private static func listed(_ names: Set<String>) -> String {
        names.sorted().prefix(20).joined(separator: ", ") + (names.count > 20 ? " and others" : "")
    }
}
