// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The check that a list exists before a command follows it. Otherwise the command would wait forever for a list whose
/// name is mistyped.
@DBusActor
enum Presence {
    /// Returns the path of a list, and prints a message if the list has failed.
    ///
    /// Without a name it only checks that listd answers, and returns nil. When listd does not answer in time, it
    /// prints a message once and tries again.
    ///
    /// - Throws: the error of the bus or of listd.
    static func findList(named name: String?, at address: BusAddress) async throws(DBusError) -> ObjectPath? {
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
                await FailedLists.report(adapter, named: name)
                return adapter.path
            } catch {
                guard error.isTimeout else { throw error }
                notice.report(.answer)
            }
        }
    }
}
