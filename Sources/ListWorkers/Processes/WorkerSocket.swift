// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListConfiguration
internal import ListKit
internal import ListSupport

/// The private socket on which one worker is awaited: in a directory that nobody else may enter, for one connection.
@DBusActor
final class WorkerSocket {
    let server: Server
    private let directory: String
    private let path: String

    private init(server: Server, directory: String, path: String) {
        self.server = server
        self.directory = directory
        self.path = path
    }

    /// Where the worker dials.
    var address: String { server.address }

    /// Accepts the connection of the process that `admits` accepts.
    static func listen(admitting admits: @escaping @DBusActor (Credentials) -> Bool) throws(ListError) -> WorkerSocket {
        let directory = try makeDirectory()
        let path = directory + "/worker"
        var settings = Server.Configuration()
        settings.maximumConnections = 1
        settings.admits = admits
        do throws(DBusError) {
            let server = try Server.listen("unix:path=" + DBus.BusAddress.escape(path), settings)
            return WorkerSocket(server: server, directory: directory, path: path)
        } catch {
            _ = unsafe rmdir(directory)
            throw ListError(.pluginFailed, "no socket for a worker: \(path)", cause: error.message)
        }
    }

    /// Removes the socket from the file system after the process that it was for has connected.
    func hide() {
        _ = unsafe unlink(path)
        _ = unsafe rmdir(directory)
    }

    /// Ends the connection.
    func close() {
        server.close()
        hide()
    }

    private static func makeDirectory() throws(ListError) -> String {
        let parents = ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "TMPDIR"].compactMap(Environment.value)
        // The runtime directory of a service may be a list; a socket's path has 108 bytes at most.
        let usable = parents.map { String($0.prefix { $0 != ":" }) }.filter { !$0.isEmpty && $0.utf8.count < 70 }
        var template = Array("\(usable.first ?? "/tmp")/listd-XXXXXX".utf8CString)
        // mkdtemp writes into the template, which is an array of ours.
        let made: String? = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, let path = unsafe mkdtemp(start) else { return nil }
            return unsafe String(cString: path)
        }
        guard let made else {
            throw ListError(.pluginFailed, "no directory for a worker's socket", cause: SystemError.text(errno))
        }
        return made
    }
}
