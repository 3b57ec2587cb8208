// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient

/// `push`: replaces all objects of a list.
struct PushCommand: Command {
    static let syntax = CommandSyntax(
        name: "push", group: .writing, summary: "Make the objects of a file the whole content of a list.",
        operands: [.list, .init(name: "FILE", completion: .file)],
        options: [
            .init(name: "replace", summary: "On a terminal, push even if that removes more than half of the objects.")
        ],
        discussion: [
            "FILE has one object per line: {\"id\": \"...\", \"type\": \"...\", \"fields\": {...}}; - is standard "
                + "input. Objects that are not in the file are removed from the list; “append” only adds. On a "
                + "terminal, a push that would remove more than half of the objects is refused without --replace.",
            "FILE may be the output of “--json show”; the member “section” of its objects is ignored. Of several "
                + "objects with the same id, the first is used, and the lines of the others are named on standard "
                + "error.",
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
            Output.printMessage(error.message)
            return .noInput
        }
        return try await context.withDaemon { daemon throws(DBusError) in
            let adapter = try await daemon.adapter(name)
            // Only a person at a terminal is asked to confirm a push that removes most objects; a script is not.
            guard isatty(STDERR_FILENO) == 1, !replaces else {
                // listd reads the file itself, however long it is.
                let before = try await adapter.property("ObjectCount", as: UInt32.self)
                let revision = try await push(source, expecting: 0, to: adapter)
                return try await printResult(
                    revision: revision, countBefore: before, pushed: source, to: adapter, in: context)
            }
            return try await pushAfterComparison(source, to: adapter, in: context)
        }
    }

    /// Pushes the file unless that would remove more than half of the objects. If the list changes between the
    /// comparison and the push, both are repeated.
    @DBusActor
    private func pushAfterComparison(
        _ source: FileDescriptor, to adapter: RemoteObject, in context: CommandContext
    ) async throws(DBusError) -> ExitCode {
        let ids = try lines(of: source).ids
        while true {
            let (revision, before, removed) = try await Self.countObjects(of: adapter, missingIn: ids)
            guard removed * 2 <= before else {
                Output.printMessage(
                    "push would remove \(removed) of the \(before) objects of “\(name)”, and leave \(ids.count); "
                        + "use --replace if that is meant, or append to add")
                return .failed
            }
            do throws(DBusError) {
                let revision = try await push(source, expecting: revision, to: adapter)
                return try await printResult(
                    revision: revision, countBefore: before, pushed: source, to: adapter, in: context)
            } catch  where error.name == ListdErrorName.revisionConflict {
                continue
            }
        }
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
        } catch  where error.message.contains("unknown key \"\(JSONMember.section)\"") {
            let stripped: FileDescriptor
            let bytes = try lines(of: source).withoutSections
            do throws(InputFile.Failure) {
                stripped = try InputFile.memoryFile(containing: bytes, named: file)
            } catch {
                throw .failed(error.message)
            }
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

    private func lines(of source: FileDescriptor) throws(DBusError) -> JSONLinesFile {
        do throws(InputFile.Failure) {
            return try JSONLinesFile(file, rereading: source)
        } catch {
            throw .failed(error.message)
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
        let lines = try lines(of: source)
        // listd keeps the first object of each id, and does not report the others.
        if lines.count > Int(after) { lines.reportDuplicates(lines.duplicates, outcome: "was left out") }
        return .done
    }

    /// Returns the list's revision, the number of its objects, and how many of them have none of the given ids.
    @DBusActor
    private static func countObjects(
        of adapter: RemoteObject, missingIn ids: Set<String>
    ) async throws(DBusError) -> (revision: UInt64, count: UInt32, missing: UInt32) {
        let before = try await ListedObjects(of: adapter)
        var missing: UInt32 = 0
        for place in 0..<before.rows.count where !ids.contains(try before.rows.read(place).leading[0]) { missing += 1 }
        return (before.revision, UInt32(before.rows.count), missing)
    }
}
