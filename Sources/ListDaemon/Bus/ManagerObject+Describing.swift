// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListWorkers

// There may be thousands of lists, views and clients: their values are read first, and become an answer on another
// thread when the caller's turn has come.

extension ManagerObject {
    /// About how many bytes one of them has in an answer, at the most where names are not very long.
    private static let rowBytes = 128
    private static let describedBytes = 512

    /// Name, path, source, revision, objects, items, views of each adapter.
    func listAdapters(_ call: Call) {
        let service = service
        answer(call, count: service.adapters.count, of: Self.rowBytes) {
            let views = service.views.countByAdapter
            return service.adapters.all.map { adapter in
                DBusStruct(
                    adapter.name, adapter.path, adapter.options.source.text, adapter.status.revision,
                    UInt32(clamping: adapter.status.objectCount), UInt32(clamping: adapter.status.itemCount),
                    UInt32(clamping: views[ObjectIdentifier(adapter)] ?? 0))
            }
        }
    }

    /// View, adapter, owner, sequence, acknowledged sequence, state of each view; no sequences where the peer may not know
    /// what the view shows.
    func listViews(_ call: Call) {
        answer(call, count: service.views.count, of: Self.rowBytes) { [service, peer = call.peer] in
            service.views.all.map { view in
                let (sequence, acknowledged) =
                    view.isReadable(by: peer) ? (view.sequence, view.acknowledgedSequence) : (0, 0)
                return DBusStruct(view.path, view.adapter.path, view.owner.name, sequence, acknowledged, view.state)
            }
        }
    }

    /// Unique name, transport, user, command, and numbers of each client that has called and is still there.
    func listClients(_ call: Call) throws {
        _ = try service.authority.administrator(call, for: .inspect)
        answer(call, count: service.calls.clients.count, of: Self.describedBytes) { [service] in
            let views = Dictionary(grouping: service.views.all) { ObjectIdentifier($0.owner) }.mapValues(\.count)
            let subscriptions = Dictionary(grouping: service.adapters.all.flatMap(\.signals.subscribers)) {
                ObjectIdentifier($0)
            }
            .mapValues(\.count)
            return service.calls.clients.all.map { client in
                let (peer, key, recent) = (client.peer, ObjectIdentifier(client.peer), client.recent)
                let numbers: [String: UInt64] = [
                    "pid": UInt64(clamping: peer.process), "calls": client.calls, "bytes": client.bytes,
                    "calls-10s": recent.calls, "bytes-10s": recent.bytes, "views": UInt64(views[key] ?? 0),
                    "subscriptions": UInt64(subscriptions[key] ?? 0), "last-call": client.lastCall,
                ]
                return DBusStruct(
                    peer.name, service.transports.isOnBus(peer) ? "bus" : "direct", peer.credentials?.userID ?? .max,
                    peer.command, numbers.mapValues { DBusValue.uint64($0) })
            }
        }
    }

    /// What everybody may know of each list, and for administrators how large it is.
    func describeAdapters(_ call: Call) {
        let service = service
        answer(call, count: service.adapters.count, of: Self.describedBytes) {
            let caller = try? service.authority.caller(call.peer, for: .inspect)
            let views = service.views.countByAdapter
            return service.adapters.all.map { adapter in
                var values: [String: DBusValue] = [
                    "state": .string(adapter.state.rawValue), "owner": .uint32(adapter.access.owner),
                    "source": .string(adapter.options.source.text), "revision": .uint64(adapter.status.revision),
                    "objects": .uint32(UInt32(clamping: adapter.status.objectCount)),
                    "items": .uint32(UInt32(clamping: adapter.status.itemCount)),
                    "views": .uint32(UInt32(clamping: views[ObjectIdentifier(adapter)] ?? 0)),
                    "changes-10s": .uint64(adapter.signals.recentChanges.total()),
                ]
                if adapter.isReadable(by: call.peer) { values["source-error"] = .string(adapter.sourceError) }
                if caller?.isAdministrator == true { values["bytes"] = .uint64(UInt64(clamping: adapter.bytes.count)) }
                return DBusStruct(adapter.name, values)
            }
        }
    }

    /// Answers with rows that are taken when the caller's turn has come; whoever has heard of a list finds it among them.
    private func answer<Row: DBusEncodable & Sendable>(
        _ call: Call, count: Int, of rowBytes: Int, _ rows: @escaping @DBusActor @Sendable () -> [Row]
    ) {
        service.calls.reads.answer(call, size: count * rowBytes) { [adapters = service.adapters] in
            adapters.stamp
        } _: {
            let rows = rows()
            return { writer in rows.encode(to: &writer) }
        }
    }
}
