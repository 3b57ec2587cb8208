// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Checks that the list to follow exists: waiting for a list that never existed helps nobody.
@DBusActor
enum Presence {
    /// Finds a list, or listd alone when no name is given.
    ///
    /// Waits for a listd that does not answer, and reports that once.
    /// - Returns: the list's path; nil without a name.
    /// - Throws: the error of the bus or listd.
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
