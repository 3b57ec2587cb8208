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
        ])

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

    func run(in context: CommandContext) async throws(DBusError) -> ExitCode {
        let opened: FileDescriptor
        do throws(InputFile.Failure) {
            opened = FileDescriptor(adopting: try InputFile.open(file))
        } catch {
            Output.printMessage(error.message)
            return .noInput
        }
        return try await context.withDaemon { daemon throws(DBusError) in
            let adapter = try await daemon.adapter(name)
            // The list is read before the file: the program that writes the file may take long, or read the list itself.
            var known = KnownState(
                time: Self.now, revision: try await adapter.property("Revision", as: UInt64.self), isGiven: false)
            if let revision { known = KnownState(time: known.time, revision: revision, isGiven: true) }
            let source: FileDescriptor
            do throws(InputFile.Failure) {
                source = try InputFile.rereadable(opened, named: file)
            } catch {
                Output.printMessage(error.message)
                return .noInput
            }
            // Only a person at a terminal is asked to confirm a push that removes most objects; a script is not.
            let ids = isatty(STDERR_FILENO) == 1 && !replaces ? try lines(of: source).ids : nil
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

    /// Returns the number of the list's objects, and how many of them have none of the given ids.
    @DBusActor
    private static func countObjects(
        of adapter: RemoteObject, missingIn ids: Set<String>
    ) async throws(DBusError) -> (count: UInt32, missing: UInt32) {
        let before = try await ListedObjects(of: adapter)
        var missing: UInt32 = 0
        for place in 0..<before.rows.count where !ids.contains(try before.rows.read(place).leading[0]) { missing += 1 }
        return (UInt32(before.rows.count), missing)
    }
}
