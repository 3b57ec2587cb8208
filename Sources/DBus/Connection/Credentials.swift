// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// The credentials of a program, from the kernel.
public struct Credentials: Equatable, Sendable {
    /// The Unix user.
    public let userID: UInt32
    /// The process; nil when the bus does not tell it.
    public let processID: Int32?

    /// Credentials from what the kernel, or a bus, reports.
    public init(userID: UInt32, processID: Int32?) {
        self.userID = userID
        self.processID = processID
    }
}

extension Credentials {
    /// From the answer of `GetConnectionCredentials`; nil when it names no user.
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
    /// The credentials of the other end of the socket, from the kernel; nil for another kind of connection.
    var peerCredentials: Credentials? {
        descriptor.flatMap { Credentials(ofPeerOf: $0) }
    }
}

extension Credentials {
    /// The credentials of the process that has opened the connection, from the kernel, before authentication.
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
