internal import DBus
internal import ListKit

extension ManagerObject {
    /// Unique name, transport, user, command, and numbers of each client that has called and is still there.
    func listClients(_ call: Call) throws -> [DBusStruct<String, String, UInt32, String, [String: DBusValue]>] {
        _ = try service.authority.administrator(call, for: .inspect)
        let views = Dictionary(grouping: service.views.all) { ObjectIdentifier($0.owner) }.mapValues(\.count)
        let subscriptions = Dictionary(grouping: service.adapters.all.flatMap(\.subscribers)) { ObjectIdentifier($0) }
            .mapValues(\.count)
        return service.clients.all.map { client in
            let (peer, key, recent) = (client.peer, ObjectIdentifier(client.peer), client.recent)
            let numbers: [String: UInt64] = [
                "pid": UInt64(clamping: peer.process), "calls": client.calls, "bytes": client.bytes,
                "calls-10s": recent.calls, "bytes-10s": recent.bytes, "views": UInt64(views[key] ?? 0),
                "subscriptions": UInt64(subscriptions[key] ?? 0), "last-call": client.lastCall,
            ]
            return DBusStruct(
                peer.name, service.transports.isOnBus(peer) ? "bus" : "direct", peer.credentials?.userID ?? .max,
                peer.command, numbers.mapValues { .uint64($0) })
        }
    }

    /// What everybody may know of each list, and for administrators how large it is.
    func describeAdapters(to call: Call) -> [DBusStruct<String, [String: DBusValue]>] {
        let caller = try? service.authority.caller(call.peer, for: .inspect)
        let views = Dictionary(grouping: service.views.all) { ObjectIdentifier($0.adapter) }.mapValues(\.count)
        return service.adapters.all.map { adapter in
            var values: [String: DBusValue] = [
                "state": .string(adapter.state.rawValue), "owner": .uint32(adapter.access.owner),
                "source": .string(adapter.options.source.text), "revision": .uint64(adapter.status.revision),
                "objects": .uint32(UInt32(clamping: adapter.status.objectCount)),
                "items": .uint32(UInt32(clamping: adapter.status.itemCount)),
                "views": .uint32(UInt32(clamping: views[ObjectIdentifier(adapter)] ?? 0)),
                "changes-10s": .uint64(adapter.recentChanges.total()),
            ]
            if adapter.isReadable(by: call.peer) { values["source-error"] = .string(adapter.sourceError) }
            if caller?.isAdministrator == true { values["bytes"] = .uint64(UInt64(clamping: adapter.bytes.count)) }
            return DBusStruct(adapter.name, values)
        }
    }
}
