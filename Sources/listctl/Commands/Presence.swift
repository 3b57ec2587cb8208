// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Whether there is what a command is about to follow: to wait for what was never there helps nobody.
@DBusActor
enum Presence {
    /// Finds a list, or listd alone when no name is given.
    ///
    /// Waits for a listd that is there and does not answer, and reports that once.
    /// - Returns: the list's path; nil without a name.
    /// - Throws: what the bus or listd says.
    static func find(_ name: String?, at address: BusAddress) async throws(DBusError) -> ObjectPath? {
        let daemon = ListDaemonClient(connection: try await BusChoice.connect(to: address))
        defer { daemon.connection.close() }
        var notice = WaitingNotice()
        while true {
            do throws(DBusError) {
                guard let name else {
                    _ = try await daemon.statistics()
                    return nil
                }
                let adapter = try await daemon.adapter(name)
                await FailedLists.tell(of: adapter, named: name)
                return adapter.path
            } catch {
                guard error.isTimeout else { throw error }
                notice.report(.answer)
            }
        }
    }
}
