// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListConfiguration
internal import ListKit
internal import ListSupport

/// The private socket on which the daemon accepts the connection of one worker; in a directory that only its user may
/// enter.
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

    /// The address to which the worker connects.
    var address: String { server.address }

    /// Listens for one connection, from a process for whose credentials `admits` returns true.
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
            throw ListError(
                .pluginFailed, "the socket for a worker could not be made: \(path.shortenedPath)", cause: error.message)
        }
    }

    /// Removes the socket from the file system, after its worker has connected.
    func hide() {
        _ = unsafe unlink(path)
        _ = unsafe rmdir(directory)
    }

    /// Closes the connection and the socket.
    func close() {
        server.close()
        hide()
    }

    private static func makeDirectory() throws(ListError) -> String {
        let parents = ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "TMPDIR"].compactMap(Environment.value)
        // RUNTIME_DIRECTORY of a service may be several paths, separated by colons. A socket's path has at most 108
        // bytes.
        let usable = parents.map { String($0.prefix { $0 != ":" }) }.filter { !$0.isEmpty && $0.utf8.count < 70 }
        var template = Array("\(usable.first ?? "/tmp")/listd-XXXXXX".utf8CString)
        // mkdtemp writes into the template, a local array.
        let made: String? = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, let path = unsafe mkdtemp(start) else { return nil }
            return unsafe String(cString: path)
        }
        guard let made else {
            throw ListError(
                .pluginFailed, "the directory for a worker's socket could not be made", cause: SystemError.text(errno))
        }
        return made
    }
}
