import DBus
import Foundation
import Glibc
import ListClient

/// The commands that ask once, print and end.
@DBusActor
struct OneShotCommands {
    let daemon: ListDaemonClient
    let json: Bool

    func list() async throws(DBusError) {
        let rows = try await daemon.adapters()
        guard json else {
            return Output.table(
                ["NAME", "REVISION", "OBJECTS", "ITEMS", "VIEWS", "SOURCE"],
                rows.map { [$0.name, "\($0.revision)", "\($0.objects)", "\($0.items)", "\($0.views)", $0.source] })
        }
        for row in rows {
            Output.json([
                "name": .string(row.name), "path": .objectPath(row.path), "source": .string(row.source),
                "revision": .uint64(row.revision), "objects": .uint32(row.objects), "items": .uint32(row.items),
                "views": .uint32(row.views),
            ])
        }
    }

    func plugins() async throws(DBusError) {
        let rows = try await daemon.plugins()
        guard json else {
            return Output.table(
                ["NAME", "VERSION", "ISOLATION", "STATE", "PROCESS", "RESTARTS", "FILE", "LAST ERROR"],
                rows.map { row in
                    [
                        row.name, row.version, row.isolation, row.state, "\(row.process)", "\(row.restarts)", row.file,
                        row.lastError,
                    ]
                })
        }
        for row in rows {
            Output.json([
                "name": .string(row.name), "version": .string(row.version), "isolation": .string(row.isolation),
                "state": .string(row.state), "process": .uint32(row.process), "restarts": .uint32(row.restarts),
                "file": .string(row.file), "last-error": .string(row.lastError),
            ])
        }
    }

    func statistics() async throws(DBusError) {
        let counters = try await daemon.statistics()
        if json { return Output.json(counters.mapValues { .uint64($0) }) }
        Output.table(["COUNTER", "VALUE"], counters.sorted { $0.key < $1.key }.map { [$0.key, "\($0.value)"] })
    }

    /// Prints the objects page by page, all of one revision; begins anew when the list changes under it.
    func show(_ name: String) async throws(DBusError) {
        let adapter = try await daemon.adapter(name)
        var objects: [MirroredObject] = []
        var expected: UInt64?
        while true {
            let (revision, total, page) = try await adapter.call(
                "GetObjects", UInt32(clamping: objects.count), UInt32.max, returning: UInt64.self, UInt32.self,
                [MirroredObject].self)
            if let expected, expected != revision { objects = [] } else { objects += page }
            expected = revision
            if objects.count >= Int(total) || (page.isEmpty && total == 0) { break }
        }
        for (section, object) in objects.enumerated() {
            if json {
                Output.json(ChangeLine.members(of: object, section: section))
            } else {
                Output.line(ChangeLine.text(of: object))
            }
        }
    }

    func create(_ name: String, options: [String]) async throws(DBusError) {
        let path = try await daemon.createAdapter(name, options: try AdapterOptionText.parse(options))
        if json { Output.json(["name": .string(name), "path": .objectPath(path)]) } else { Output.line(path.text) }
    }

    /// Hands the open file to the daemon, which reads it.
    func push(_ name: String, file: String) async throws(DBusError) {
        // The path is copied for the call; the descriptor belongs to the message's `FileDescriptor`.
        let descriptor = unsafe file == "-" ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed("\(file): \(SystemError.text(errno))") }
        let adapter = try await daemon.adapter(name)
        let revision = try await adapter.call(
            "PerformUpdatesFromFile", UInt64(0), FileDescriptor(adopting: descriptor), "jsonl",
            [String: DBusValue](), returning: UInt64.self, timeout: .seconds(3600))
        if json { Output.json(["revision": .uint64(revision)]) } else { Output.line("revision \(revision)") }
    }

    func check() async throws(DBusError) -> ExitCode {
        let text = try await daemon.dump()
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("store") }
        for line in lines { Output.line(DisplayText.harmless(String(line))) }
        return lines.contains { $0.contains("integrity ok") } ? .done : .failed
    }

    func backup(_ file: String) async throws(DBusError) {
        // The path is copied for the call; the descriptor belongs to the message's `FileDescriptor`.
        let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failed("\(file): \(SystemError.text(errno))") }
        do throws(DBusError) {
            try await daemon.backup(to: FileDescriptor(adopting: descriptor))
        } catch {
            _ = unsafe unlink(file)  // the path is copied for the call
            throw error
        }
    }
}

/// What the system says of an error number.
enum SystemError {
    /// The C library owns the text, which is copied at once.
    static func text(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }
}
