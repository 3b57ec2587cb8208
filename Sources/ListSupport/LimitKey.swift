// SPDX-License-Identifier: Apache-2.0

package import ListKit

/// The limits that refusals name, by their keys in the section `[Limits]` of `listd.conf`.
package enum LimitKey: String, Sendable, Hashable, CaseIterable {
    case payloadBytes = "PayloadBytes"
    case fileBytes = "FileBytes"
    case objectBytes = "ObjectBytes"
    case idBytes = "IdBytes"
    case adaptersPerUser = "AdaptersPerUser"
    case viewsPerUser = "ViewsPerUser"
    case objectsPerUser = "ObjectsPerUser"
    case bytesPerUser = "BytesPerUser"
    case callsPerConnection = "CallsPerConnection"
    case callsPerUser = "CallsPerUser"
    case callsPerSecond = "CallsPerSecond"
    case waitingBytesPerUser = "WaitingBytesPerUser"
    case waitingBytes = "WaitingBytes"
    case directConnections = "DirectConnections"
    case directConnectionsPerUser = "DirectConnectionsPerUser"

    /// The error of somebody who would go beyond the limit: its message ends with the key in parentheses, by which it is
    /// recognised wherever the error comes from, a worker or libdbus's side included.
    package func refusal(_ code: ListError.Code, _ message: String, cause: String? = nil) -> ListError {
        ListError(code, "\(message) (\(rawValue))", cause: cause)
    }

    /// The limit that the message of a refusal names at its end; nil when it names none.
    package init?(namedAtEndOf message: String) {
        guard message.hasSuffix(")"), let open = message.lastIndex(of: "(") else { return nil }
        self.init(rawValue: String(message[message.index(after: open)...].dropLast()))
    }

    /// Whether it bounds what a user has at a time.
    package var isQuota: Bool {
        switch self {
        case .adaptersPerUser, .viewsPerUser, .objectsPerUser, .bytesPerUser: true
        case .payloadBytes, .fileBytes, .objectBytes, .idBytes, .callsPerConnection, .callsPerUser, .callsPerSecond,
            .waitingBytesPerUser, .waitingBytes, .directConnections, .directConnectionsPerUser:
            false
        }
    }
}
