// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import CSystemd
internal import Glibc

/// The descriptors that systemd has passed to this process (sd_listen_fds(3)), each with its name.
///
/// libdbus' own way of taking over sockets takes all of them, refuses to start when one is not a listening socket
/// (those of the descriptor store are not), and drops the names. So they are taken here, and libdbus gets only the
/// wanted ones.
public struct ActivatedDescriptors: Sendable {
    /// A passed descriptor.
    public struct Descriptor: Sendable {
        /// `FileDescriptorName=` of the socket, or the name in the descriptor store.
        public let name: String
        /// A duplicate of the passed one.
        public let descriptor: FileDescriptor
    }

    private static let first = SD_LISTEN_FDS_START

    /// In systemd's order.
    public let all: [Descriptor]
    private let places: Int

    /// Takes the passed descriptors, once, at the start of the program, before threads read the environment and before
    /// other files are opened; none, if some are missing or the names are not as many.
    ///
    /// The first numbers stay open as placeholders until `Server.listen(on:)` or `discardPlaces`, since libdbus takes
    /// over sockets only at descriptor 3 and the following.
    public static func receive() -> ActivatedDescriptors {
        var texts: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        // One name for each descriptor, in memory that the caller owns.
        let count = unsafe sd_listen_fds_with_names(1, &texts)
        guard count > 0, let texts = unsafe texts else { return ActivatedDescriptors(all: [], places: 0) }
        defer { unsafe free(texts) }
        var all: [Descriptor] = []
        for index in 0..<count {
            let text = unsafe texts[Int(index)]
            defer { unsafe free(text) }
            let copy = fcntl(first + index, F_DUPFD_CLOEXEC, first + count)
            guard copy >= 0 else { continue }
            let name = unsafe text.map { unsafe String(cString: $0) } ?? "unknown"
            all.append(Descriptor(name: name, descriptor: FileDescriptor(adopting: copy)))
        }
        return ActivatedDescriptors(all: all, places: Int(count))
    }

    /// The descriptors with a name.
    public func named(_ name: String) -> [FileDescriptor] {
        all.filter { $0.name == name }.map(\.descriptor)
    }

    /// Closes the placeholders when no server will listen on passed sockets.
    public func discardPlaces() {
        for index in 0..<places { close(Self.first + Int32(index)) }
    }

    /// Puts `sockets` at the numbers where libdbus expects them, and sets its variables.
    fileprivate func present(_ sockets: [FileDescriptor]) throws(DBusError) {
        guard !sockets.isEmpty, sockets.count <= places else {
            throw .invalidArgs("systemd has passed no such socket")
        }
        guard sockets.allSatisfy(Self.isLocal) else {
            throw DBusError(.badAddress, "a passed socket is not a Unix socket")
        }
        for (index, socket) in sockets.enumerated() {
            let place = Self.first + Int32(index)
            guard dup2(socket.rawValue, place) >= 0, fcntl(place, F_SETFD, FD_CLOEXEC) >= 0 else {
                throw .failed("a passed socket could not be moved (errno \(errno))")
            }
        }
        for index in sockets.count..<places { close(Self.first + Int32(index)) }
        unsafe setenv("LISTEN_PID", String(getpid()), 1)
        unsafe setenv("LISTEN_FDS", String(sockets.count), 1)
    }

    /// Whether it is a Unix socket: other kinds cannot tell who a client is.
    private static func isLocal(_ socket: FileDescriptor) -> Bool {
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        return unsafe getsockname(socket.rawValue, &address, &length) == 0 && address.sa_family == sa_family_t(AF_UNIX)
    }
}

extension Server {
    /// Listens on the passed sockets with one name; once in a process.
    ///
    /// - Throws: `InvalidArgs` when there is none, `BadAddress` when one is not a listening stream socket.
    public static func listen(
        on name: String, of passed: ActivatedDescriptors, _ configuration: Configuration = Configuration()
    ) throws(DBusError) -> Server {
        try passed.present(passed.named(name))
        defer { for variable in ["LISTEN_PID", "LISTEN_FDS"] { unsafe unsetenv(variable) } }
        return try listen("systemd:", configuration)
    }
}
