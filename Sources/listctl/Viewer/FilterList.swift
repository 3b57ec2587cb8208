// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

/// A list of the objects of another one that contain a text; it ends with this connection.
///
/// It changes while the user types: while listd handles one text, only the newest of later ones is kept.
@DBusActor
final class FilterList {
    /// Reports to the owner.
    enum Event {
        /// The list exists.
        case made
        /// It cannot be made, or its text was refused.
        case refused(DBusError)
    }

    /// Its name.
    let name: String
    private let base: String
    private let daemon: ListDaemonClient
    private let onEvent: @DBusActor (Event) -> Void
    private var adapter: RemoteObject?
    private var wanted: String?
    private var isBusy = false
    private var isRemoved = false
    private static var count = 0
    /// The maximum length of a list's name in bytes.
    private static let longestName = 255

    init(of base: String, from daemon: ListDaemonClient, onEvent: @escaping @DBusActor (Event) -> Void) {
        (self.base, self.daemon, self.onEvent) = (base, daemon, onEvent)
        Self.count += 1
        // Unique on the bus; a direct connection has no name, so the process id is used.
        let suffix = " & \(daemon.connection.uniqueName) \(getpid()).\(Self.count)"
        var start = base
        while start.utf8.count + suffix.utf8.count > Self.longestName { start.removeLast() }
        name = start + suffix
    }

    /// Makes the list show the objects with a text.
    func show(_ text: String) {
        wanted = text
        guard !isBusy, !isRemoved else { return }
        isBusy = true
        Task { @DBusActor in
            while let text = wanted, !isRemoved {
                wanted = nil
                await set(text)
            }
            isBusy = false
            if isRemoved { await removeNow() }
        }
    }

    /// Removes the list; no report follows.
    func remove() {
        isRemoved = true
        guard !isBusy else { return }
        Task { @DBusActor in await removeNow() }
    }

    private func removeNow() async {
        guard adapter != nil else { return }
        adapter = nil
        // It may have been removed already.
        try? await daemon.removeAdapter(name)
    }

    private func set(_ text: String) async {
        do throws(DBusError) {
            var query = ListQueryText()
            query.contains = text
            if let adapter {
                _ = try await adapter.call("SetSourceArgument", query.argument, returning: UInt64.self)
                return
            }
            let options = try await FilterOptions.make(of: base, query, by: daemon)
            let path = try await daemon.createAdapter(name, options: options)
            adapter = RemoteObject(
                daemon.connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
            if !isRemoved { onEvent(.made) }
        } catch {
            wanted = nil
            if !isRemoved { onEvent(.refused(error)) }
        }
    }
}
