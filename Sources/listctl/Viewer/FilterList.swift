// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

/// A list of those objects of another list that contain a text. It ends with this connection.
///
/// The text changes while the user types. While listd handles one text, only the newest of the texts that follow is
/// kept.
@DBusActor
final class FilterList {
    /// An event of the filtered list.
    enum Event {
        /// The list was created.
        case made
        /// The list could not be created, or listd refused its text.
        case refused(DBusError)
    }

    /// The name of the filtered list.
    let name: String
    private let base: String
    private let daemon: ListDaemonClient
    private let onEvent: @DBusActor (Event) -> Void
    private var adapter: RemoteObject?
    private var wanted: String?
    private var isBusy = false
    private var isRemoved = false
    private static var count = 0
    /// The maximum length of a list's name, in bytes.
    private static let maximumNameLength = 255

    init(of base: String, from daemon: ListDaemonClient, onEvent: @escaping @DBusActor (Event) -> Void) {
        (self.base, self.daemon, self.onEvent) = (base, daemon, onEvent)
        Self.count += 1
        // The unique name makes the list's name unique on the bus. A direct connection has no unique name, but a
        // process ID.
        let suffix = " & \(daemon.connection.uniqueName) \(getpid()).\(Self.count)"
        var start = base
        while start.utf8.count + suffix.utf8.count > Self.maximumNameLength { start.removeLast() }
        name = start + suffix
    }

    /// Filters by a text. The list is created for the first text.
    func filter(by text: String) {
        wanted = text
        guard !isBusy, !isRemoved else { return }
        isBusy = true
        Task { @DBusActor in
            while let text = wanted, !isRemoved {
                wanted = nil
                await apply(text)
            }
            isBusy = false
            if isRemoved { await removeNow() }
        }
    }

    /// Removes the list. No event follows.
    func remove() {
        isRemoved = true
        guard !isBusy else { return }
        Task { @DBusActor in await removeNow() }
    }

    private func removeNow() async {
        guard adapter != nil else { return }
        adapter = nil
        // Another client may have removed the list already.
        try? await daemon.removeAdapter(name)
    }

    private func apply(_ text: String) async {
        do throws(DBusError) {
            var query = ListQueryText()
            query.contains = text
            if let adapter {
                _ = try await adapter.call("SetSourceArgument", query.argument, returning: UInt64.self)
                return
            }
            let options = try await FilterOptions.makeOptions(of: base, matching: query, on: daemon)
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
