// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// The credentials of a program, as the kernel reports them.
public struct Credentials: Equatable, Sendable {
    /// The Unix user id.
    public let userID: UInt32
    /// The process id; nil when the bus does not report it.
    public let processID: Int32?

    /// Creates credentials from the values that the kernel or a bus reports.
    public init(userID: UInt32, processID: Int32?) {
        self.userID = userID
        self.processID = processID
    }
}

extension Credentials {
    /// Creates credentials from the answer of `GetConnectionCredentials`; nil when the answer has no user.
    init?(options: [String: DBusValue]) {
        guard case .uint32(let userID)? = options["UnixUserID"] else { return nil }
        self.userID = userID
        if case .uint32(let processID)? = options["ProcessID"] {
            self.processID = Int32(exactly: processID)
        } else {
            processID = nil
        }
    }
}

extension Transport {
    /// The credentials of the other end of the socket, from the kernel; nil for a connection without a Unix socket.
    var peerCredentials: Credentials? {
        descriptor.flatMap { Credentials(ofPeerOf: $0) }
    }
}

extension Credentials {
    /// Reads the credentials of the process that opened the connection, from the kernel. This works before
    /// authentication.
    init?(ofPeerOf raw: OpaquePointer) {
        var descriptor: Int32 = -1
        guard unsafe dbus_connection_get_socket(raw, &descriptor) != 0 else { return nil }
        self.init(ofPeerOf: descriptor)
    }

    fileprivate init?(ofPeerOf socket: Int32) {
        var found = listd_peer_credentials()
        guard unsafe listd_get_peer_credentials(socket, &found) == 0 else { return nil }
        self.init(userID: found.uid, processID: found.pid)
    }
}
