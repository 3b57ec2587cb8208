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
        let standings = await FailedLists.standings(of: daemon)
        if json {
            for row in rows {
                let standing = standings[row.path]
                Output.json([
                    "name": .string(row.name), "path": .objectPath(row.path), "source": .string(row.source),
                    "state": .string(standing?.state ?? ""), "source-error": .string(standing?.error ?? ""),
                    "revision": .uint64(row.revision), "objects": .uint32(row.objects), "items": .uint32(row.items),
                    "views": .uint32(row.views),
                ])
            }
        } else {
            Output.table(
                ["NAME", "STATE", "REVISION", "OBJECTS", "ITEMS", "VIEWS", "SOURCE"],
                rows.map { row in
                    [
                        row.name, standings[row.path]?.state ?? "", "\(row.revision)", "\(row.objects)",
                        "\(row.items)", "\(row.views)", row.source,
                    ]
                })
        }
        await FailedLists.tellAll(standings, of: daemon)
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

    func show(_ name: String) async throws(DBusError) {
        let adapter = try await daemon.adapter(name)
        let objects = try await ListedObjects(of: adapter)
        if json { objects.printJSON() } else { try objects.printText() }
        await FailedLists.tell(of: adapter, named: name)
    }

    func create(_ name: String, options: [String]) async throws(DBusError) {
        let path = try await daemon.createAdapter(name, options: try AdapterOptionText.parse(options))
        if json { Output.json(["name": .string(name), "path": .objectPath(path)]) } else { Output.line(path.text) }
    }

    /// Hands the open file to the daemon, which reads it.
    func push(_ name: String, file: String) async throws(DBusError) -> ExitCode {
        // The path is copied for the call; the descriptor belongs to the message's `FileDescriptor`.
        let descriptor = unsafe file == "-" ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC)
        if let fault = Self.readingFault(of: descriptor) {
            Output.complain("\(file): \(SystemError.text(fault))")
            return .noInput
        }
        let adapter = try await daemon.adapter(name)
        let revision = try await adapter.call(
            "PerformUpdatesFromFile", UInt64(0), FileDescriptor(adopting: descriptor), "jsonl",
            [String: DBusValue](), returning: UInt64.self, timeout: .seconds(3600))
        if json { Output.json(["revision": .uint64(revision)]) } else { Output.line("revision \(revision)") }
        return .done
    }

    /// Why nothing can be read from what was opened, as an error number: directories open, too, and a closed standard
    /// input is kept by a descriptor for writing; nil = it can be read.
    private static func readingFault(of descriptor: Int32) -> Int32? {
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return errno }
        if status.st_mode & S_IFMT == S_IFDIR { return EISDIR }
        return fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY ? EBADF : nil
    }

    func check() async throws(DBusError) -> ExitCode {
        let report = StoreReport(dump: try await daemon.dump())
        if json {
            Output.json([
                "healthy": .boolean(report.isHealthy),
                "store": .array(element: "s", report.lines.map { .string(String($0)) }),
            ])
        } else {
            for line in report.lines { Output.line(DisplayText.harmless(String(line))) }
        }
        return report.isHealthy ? .done : .failed
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
