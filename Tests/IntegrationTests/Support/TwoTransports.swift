// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// The two transports to listd, for tests that must pass on both.
enum TransportKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case bus, direct

    var testDescription: String { self == .bus ? "over the bus" : "over the direct socket" }

    /// The transport of a stage's own clients, unless a test chooses: the bus, or the direct socket if
    /// LISTD_TEST_BUS is `direct`.
    static let ofThisRun: TransportKind =
        ProcessInfo.processInfo.environment["LISTD_TEST_BUS"] == "direct" ? .direct : .bus

    /// The arguments that make listd listen on its direct socket too.
    static let arguments = ["--direct", "unix:path=%d/direct"]
}

extension Stage {
    /// Starts a stage whose listd has a direct socket.
    static func withDirectSocket(
        _ kind: PrivateBus.Kind = .session, files: [String: String] = [:]
    ) async throws -> Stage {
        try await Stage(kind, arguments: TransportKind.arguments, files: files)
    }

    /// Connects another client over a transport.
    func connect(_ transport: TransportKind) async throws -> Connection {
        try await Connection.open(.address(address(transport)))
    }

    /// Returns the daemon's counters.
    func statistics() async throws -> [String: UInt64] {
        try await manager.call("GetStatistics", returning: [String: UInt64].self)
    }
}
