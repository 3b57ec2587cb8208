// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A bus at a fixed address, which a test kills and restarts.
final class MortalBus: Sendable {
    private let directory = TemporaryDirectory()

    /// The address without the GUID, which changes with each start.
    var address: String { "unix:path=\(socket)" }
    private var socket: String { directory.path + "/bus" }

    /// Starts the bus and returns when it accepts connections.
    func start() throws -> PrivateBus { try PrivateBus(socket: socket) }

    /// Kills the bus without a warning.
    func kill(_ bus: PrivateBus) {
        bus.stop()
        try? FileManager.default.removeItem(atPath: socket)
    }
}
