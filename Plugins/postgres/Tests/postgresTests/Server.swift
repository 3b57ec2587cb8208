// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A PostgreSQL server in a temporary directory. It listens only on a Unix socket there.
final class Server: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The directory of PostgreSQL's programs; `nil` = PostgreSQL is not installed.
    static let programs: String? = {
        let places =
            (13...19).reversed().map { "/usr/lib/postgresql/\($0)/bin" } + ["/usr/local/pgsql/bin", "/usr/bin"]
        return places.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    static var isInstalled: Bool { programs != nil }

    /// A data directory created by initdb, once for all tests.
    private static let template = Result {
        let directory = try makeDirectory("postgres-template")
        try run(
            "initdb", ["-D", directory + "/data", "-A", "trust", "-U", "owner", "-E", "UTF8", "--locale=C.UTF-8", "-N"])
        return directory + "/data"
    }

    /// The directory with the data, the socket and the log.
    let path: String

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - encoding: The encoding of the database `shop`.
    ///   - hasExtension: Whether the database has listd's tables and functions.
    init(encoding: String = "UTF8", hasExtension: Bool = true) throws {
        path = try Self.makeDirectory("postgres")
        _ = try Self.runUnprivileged("/bin/cp", ["-r", try Self.template.get(), path + "/data"])
        try start()
        try sql(
            "CREATE DATABASE shop ENCODING '\(encoding)' LOCALE 'C' TEMPLATE template0", database: "postgres")
        if hasExtension { try install() }
    }

    deinit {
        stop(kill: true)
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The scripts that create listd's tables and functions, and update them to each next version.
    static let scripts = ["listd--1.0.sql", "listd--1.0--1.1.sql", "listd--1.1--1.2.sql", "listd--1.2--1.3.sql"]

    /// Creates listd's tables and functions in the database, as `listd.sql` does.
    func install(_ scripts: [String] = Server.scripts) throws {
        try sql("CREATE SCHEMA listd")
        for script in scripts { try run(script) }
    }

    /// Runs a script of the extension.
    func run(_ script: String) throws {
        let text = try String(contentsOfFile: Self.root + "/Plugins/postgres/sql/" + script, encoding: .utf8)
        // pg_extension_config_dump works only within CREATE EXTENSION.
        let lines = text.split(separator: "\n").filter { !$0.contains("pg_extension_config_dump") }
        try sql(lines.joined(separator: "\n"))
    }

    // MARK: The server

    func start() throws {
        try Self.run(
            "pg_ctl",
            [
                "-D", path + "/data", "-w", "-t", "60", "-l", path + "/log", "-o",
                "-k \(path) -c listen_addresses='' -c fsync=off -c max_connections=40", "start",
            ])
    }

    /// Stops the server, cleanly or as in a crash.
    func stop(kill: Bool = false) {
        _ = try? Self.run("pg_ctl", ["-D", path + "/data", "-m", kill ? "immediate" : "fast", "-w", "stop"])
    }

    /// The server's process and those of its sessions.
    func processes() throws -> [Int32] {
        let file = try String(contentsOfFile: path + "/data/postmaster.pid", encoding: .utf8)
        guard let main = file.split(separator: "\n").first.flatMap({ Int32($0) }) else {
            throw Failure(description: "the server is not running")
        }
        let children = try String(contentsOfFile: "/proc/\(main)/task/\(main)/children", encoding: .utf8)
        return [main] + children.split(separator: " ").compactMap { Int32($0) }
    }

    /// Requires passwords from all roles but the owner.
    func requirePasswords() throws {
        let rules = "local all owner trust\nlocal all all scram-sha-256\n"
        try rules.write(toFile: path + "/data/pg_hba.conf", atomically: false, encoding: .utf8)
        try Self.run("pg_ctl", ["-D", path + "/data", "reload"])
    }

    // MARK: SQL

    /// Runs SQL and returns the rows, with fields separated by `|`.
    @discardableResult
    func sql(
        _ text: String, database: String = "shop", user: String = "owner", host: String? = nil
    ) throws -> [String] {
        try Self.run("psql", arguments(database, user, host), input: text).split(separator: "\n").map(String.init)
    }

    private func arguments(_ database: String, _ user: String, _ host: String? = nil) -> [String] {
        ["-h", host ?? path, "-U", user, "-d", database, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f", "-"]
    }

    /// Opens a lasting session, for transactions that overlap.
    func openSession() throws -> Session { try Session(Self.programs ?? "", arguments("shop", "owner").dropLast(2)) }

    /// Adds a section for this server to the service file, and returns its name.
    ///
    /// - Parameter host: The directory of the socket, if it is not the server's own.
    func addService(
        _ user: String = "owner", database: String = "shop", host: String? = nil, more: [String] = []
    ) throws -> String {
        let name = "shop-\(UUID().uuidString.prefix(8).lowercased())"
        let section = ["[\(name)]", "host=\(host ?? path)", "user=\(user)", "dbname=\(database)"] + more + [""]
        try Services.addSection(section.joined(separator: "\n"))
        return name
    }

    /// The service file of this process, which libpq reads at each connection.
    enum Services {
        static let path: String = {
            let path = NSTemporaryDirectory() + "/pg_service.\(getpid()).conf"
            _ = FileManager.default.createFile(atPath: path, contents: nil)
            setenv("PGSERVICEFILE", path, 1)
            return path
        }()

        static func addSection(_ section: String) throws {
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data(section.utf8))
            try file.close()
        }
    }

    // MARK: Programs

    private static func makeDirectory(_ name: String) throws -> String {
        let path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "\(name).\(UUID().uuidString.prefix(8))").path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        // PostgreSQL does not run as root.
        if getuid() == 0 { chown(path, 65534, 65534) }
        return path
    }

    @discardableResult
    private static func run(_ program: String, _ arguments: [String], input: String? = nil) throws -> String {
        guard let programs else { throw Failure(description: "PostgreSQL is not installed") }
        return try runUnprivileged("\(programs)/\(program)", arguments, input: input)
    }

    /// Runs a program as a user other than root, with only the standard descriptors open. A server that the program
    /// starts outlives it, and Foundation's Process would wait for the server.
    static func runUnprivileged(_ program: String, _ arguments: [String], input: String? = nil) throws -> String {
        let place = NSTemporaryDirectory() + "/run.\(UUID().uuidString)"
        let (output, text) = (place + ".out", place + ".in")
        defer { for path in [output, text] { try? FileManager.default.removeItem(atPath: path) } }
        try (input ?? "").write(toFile: text, atomically: false, encoding: .utf8)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, text, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        for descriptor in 3..<Int32(256) { posix_spawn_file_actions_addclose(&actions, descriptor) }
        let prefix = getuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        var words: [UnsafeMutablePointer<CChar>?] = (prefix + [program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process: pid_t = 0
        guard let path = words[0], posix_spawn(&process, path, &actions, nil, words, environ) == 0 else {
            throw Failure(description: "\(program) cannot be started")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let outputText = try String(contentsOfFile: output, encoding: .utf8)
        guard status == 0 else { throw Failure(description: "\(program) \(arguments.prefix(6)): \(outputText)") }
        return outputText
    }
}

/// A session of psql, which runs commands in order, in the open transaction.
final class Session {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    fileprivate init(_ programs: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: programs + "/psql")
        process.arguments = Array(arguments)
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Runs SQL, and returns its output when it is complete.
    @discardableResult
    func sql(_ text: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((text + ";\n\\echo done\n").utf8))
        var answer = ""
        while !answer.hasSuffix("done\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Server.Failure(description: "psql ended: \(answer)") }
            answer += String(decoding: data, as: UTF8.self)
        }
        return String(answer.dropLast(5))
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
