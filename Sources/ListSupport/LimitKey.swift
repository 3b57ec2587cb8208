// SPDX-License-Identifier: Apache-2.0

package import ListKit

/// The limits that error messages name, by their keys in the section `[Limits]` of `listd.conf`.
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
    case subscriptionsPerConnection = "SubscriptionsPerConnection"
    case callsPerUser = "CallsPerUser"
    case callsPerSecond = "CallsPerSecond"
    case waitingBytesPerUser = "WaitingBytesPerUser"
    case waitingBytes = "WaitingBytes"
    case directConnections = "DirectConnections"
    case directConnectionsPerUser = "DirectConnectionsPerUser"

    /// Returns the error for a request that would exceed the limit. Its message ends with the key in parentheses, so
    /// that the limit is recognised wherever the error comes from, also from a worker or from the code around
    /// libdbus.
    package func refusal(_ code: ListError.Code, _ message: String, cause: String? = nil) -> ListError {
        ListError(code, "\(message) (\(rawValue))", cause: cause)
    }

    /// Finds the limit that an error message names at its end; nil if there is no such name.
    package init?(namedAtEndOf message: String) {
        guard message.hasSuffix(")"), let open = message.lastIndex(of: "(") else { return nil }
        self.init(rawValue: String(message[message.index(after: open)...].dropLast()))
    }

    /// Whether the limit applies to what a user owns at a time, not to single requests or to calls.
    package var isQuota: Bool {
        switch self {
        case .adaptersPerUser, .viewsPerUser, .objectsPerUser, .bytesPerUser: true
        case .payloadBytes, .fileBytes, .objectBytes, .idBytes, .callsPerConnection, .subscriptionsPerConnection,
            .callsPerUser, .callsPerSecond, .waitingBytesPerUser, .waitingBytes, .directConnections,
            .directConnectionsPerUser:
            false
        }
    }
}
