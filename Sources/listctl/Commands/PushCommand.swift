// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient

/// `push`: replaces the content of a list.
struct PushCommand: Command {
    static let syntax = CommandSyntax(
        name: "push", group: .writing, summary: "Make the objects of a file the whole content of a list.",
        operands: [.list, .init(name: "FILE", completion: .file)],
        options: [
            .init(name: "replace", summary: "Do so on a terminal, too, when it takes away more than half of the list.")
        ],
        discussion: [
            "FILE has one object per line: {\"id\": \"...\", \"type\": \"...\", \"fields\": {...}}; - is standard input. What "
                + "is not in it is taken out of the list: “append” adds instead. On a terminal, a push that would remove more "
                + "than half of the objects is refused without --replace.",
            "FILE may be what “--json show” printed: the number “section” that each object has there is left out. Of several "
                + "objects with one id the first counts, and the lines of the others are named on standard error.",
        ])

    private let name: String
    private let file: String
    private let replaces: Bool

    init(_ invocation: Invocation) {
        name = invocation.operand("NAME")
        file = invocation.operand("FILE")
        replaces = invocation.has("replace")
    }

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        let source: FileDescriptor
        do throws(InputFile.Failure) {
            source = try InputFile.rereadable(FileDescriptor(adopting: try InputFile.open(file)), named: file)
        } catch {
            Output.complain(error.message)
            return .noInput
        }
        return try await context.withDaemon { daemon throws(DBusError) in
            let adapter = try await daemon.adapter(name)
            // A person at a terminal can think again; a script cannot.
            guard isatty(STDERR_FILENO) == 1, !replaces else {
                // listd reads the file itself, however long it is.
                let before = try await adapter.property("ObjectCount", as: UInt32.self)
                let revision = try await push(source, expecting: 0, to: adapter)
                return try await finish(revision, before: before, source, adapter, context)
            }
            return try await pushWatched(source, to: adapter, in: context)
        }
    }

    /// Compares first; changes of the list meanwhile are compared with, too.
    @DBusActor
    private func pushWatched(
        _ source: FileDescriptor, to adapter: RemoteObject, in context: CommandContext
    ) async throws(DBusError) -> ExitCode {
        let ids = try lines(of: source).ids
        while true {
            let (revision, before, removed) = try await Self.missing(in: ids, of: adapter)
            guard removed * 2 <= before else {
                Output.complain(
                    "push would remove \(removed) of the \(before) objects of “\(name)”, and leave \(ids.count); "
                        + "use --replace if that is meant, or append to add")
                return .failed
            }
            do throws(DBusError) {
                let revision = try await push(source, expecting: revision, to: adapter)
                return try await finish(revision, before: before, source, adapter, context)
            } catch  where error.name == ListdErrorName.revisionConflict {
                continue
            }
        }
    }

    /// Makes listd read the file; objects in the form of `show --json` without their numbers.
    @DBusActor
    private func push(
        _ source: FileDescriptor, expecting revision: UInt64, to adapter: RemoteObject
    ) async throws(DBusError) -> UInt64 {
        do throws(DBusError) {
            return try await send(source, expecting: revision, to: adapter)
        } catch  where error.message.contains("unknown key \"\(JSONMember.section)\"") {
            let stripped: FileDescriptor
            let bytes = try lines(of: source).withoutSections
            do throws(InputFile.Failure) {
                stripped = try InputFile.memory(of: bytes, named: file)
            } catch {
                throw .failed(error.message)
            }
            return try await send(stripped, expecting: revision, to: adapter)
        }
    }

    @DBusActor
    private func send(
        _ source: FileDescriptor, expecting revision: UInt64, to adapter: RemoteObject
    ) async throws(DBusError) -> UInt64 {
        do throws(DBusError) {
            return try await adapter.call(
                "PerformUpdatesFromFile", revision, source, "jsonl", [String: DBusValue](), returning: UInt64.self,
                timeout: .seconds(3600))
        } catch {
            throw JSONLinesFile.located(error, in: file)
        }
    }

    private func lines(of source: FileDescriptor) throws(DBusError) -> JSONLinesFile {
        do throws(InputFile.Failure) {
            return try JSONLinesFile(file, rereading: source)
        } catch {
            throw .failed(error.message)
        }
    }

    @DBusActor
    private func finish(
        _ revision: UInt64, before: UInt32, _ source: FileDescriptor, _ adapter: RemoteObject,
        _ context: CommandContext
    ) async throws(DBusError) -> ExitCode {
        let after = try await adapter.property("ObjectCount", as: UInt32.self)
        context.print(
            "revision \(revision): \(after) object\(after == 1 ? "" : "s") in place of \(before)",
            json: ["revision": .uint64(revision), "objects": .uint32(after), "objects-before": .uint32(before)])
        let lines = try lines(of: source)
        // listd keeps the first object of each id, and does not report the others.
        if lines.count > Int(after) { lines.complain(about: lines.duplicates, "was left out") }
        return .done
    }

    /// The number of a list's objects that are not among some.
    @DBusActor
    private static func missing(
        in ids: Set<String>, of adapter: RemoteObject
    ) async throws(DBusError) -> (revision: UInt64, count: UInt32, missing: UInt32) {
        let before = try await ListedObjects(of: adapter)
        var missing: UInt32 = 0
        for place in 0..<before.rows.count where !ids.contains(try before.rows.read(place).leading[0]) { missing += 1 }
        return (before.revision, UInt32(before.rows.count), missing)
    }
}
