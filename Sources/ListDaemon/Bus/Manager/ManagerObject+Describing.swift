// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListWorkers

// There may be thousands of lists, views and clients. Their values are read first, and are encoded on another thread
// when the caller's turn has come.

extension ManagerObject {
    /// The approximate maximum bytes of a row in an answer, if names are not very long: of a tuple, and of a
    /// dictionary of values.
    private static let rowBytes = 128
    private static let describedBytes = 512

    /// Answers `ListAdapters`: name, path, source, revision, objects, items and views of each adapter.
    func listAdapters(_ call: Call) {
        let service = service
        answer(call, count: service.adapters.count, bytesPerRow: Self.rowBytes) {
            let views = service.views.countByAdapter
            return service.adapters.all.map { adapter in
                DBusStruct(
                    adapter.name, adapter.path, adapter.options.source.text, adapter.status.revision,
                    UInt32(clamping: adapter.status.objectCount), UInt32(clamping: adapter.status.itemCount),
                    UInt32(clamping: views[ObjectIdentifier(adapter)] ?? 0))
            }
        }
    }

    /// Answers `ListViews`: view, adapter, owner, sequence, acknowledged sequence and state of each view. The
    /// sequences are 0 if the peer may not read the view's contents.
    func listViews(_ call: Call) {
        answer(call, count: service.views.count, bytesPerRow: Self.rowBytes) { [service, peer = call.peer] in
            service.views.all.map { view in
                let (sequence, acknowledged) =
                    view.isReadable(by: peer) ? (view.sequence, view.acknowledgedSequence) : (0, 0)
                return DBusStruct(view.path, view.adapter.path, view.owner.name, sequence, acknowledged, view.state)
            }
        }
    }

    /// Answers `ListClients`: unique name, transport, user, command and counts of each connected client that has
    /// called.
    func listClients(_ call: Call) throws {
        _ = try service.authority.administrator(call, for: .inspect)
        answer(call, count: service.calls.clients.count, bytesPerRow: Self.describedBytes) { [service] in
            let views = Dictionary(grouping: service.views.all) { ObjectIdentifier($0.owner) }.mapValues(\.count)
            let subscriptions = Dictionary(grouping: service.adapters.all.flatMap(\.signals.subscribers)) {
                ObjectIdentifier($0)
            }
            .mapValues(\.count)
            return service.calls.clients.all.map { client in
                let (peer, key, recent) = (client.peer, ObjectIdentifier(client.peer), client.recent)
                let numbers = NamedValues([
                    ("pid", .uint64(UInt64(clamping: peer.process))), ("calls", .uint64(client.calls)),
                    ("bytes", .uint64(client.bytes)), ("calls-10s", .uint64(recent.calls)),
                    ("bytes-10s", .uint64(recent.bytes)), ("views", .uint64(UInt64(views[key] ?? 0))),
                    ("subscriptions", .uint64(UInt64(subscriptions[key] ?? 0))),
                    ("last-call", .uint64(client.lastCall)),
                ])
                return DBusStruct(
                    peer.name, service.transports.isOnBus(peer) ? "bus" : "direct", peer.credentials?.userID ?? .max,
                    peer.command, numbers)
            }
        }
    }

    /// Answers `DescribeAdapters`: the public properties of each list, and for administrators also its size.
    func describeAdapters(_ call: Call) {
        let service = service
        answer(call, count: service.adapters.count, bytesPerRow: Self.describedBytes) {
            let caller = try? service.authority.caller(call.peer, for: .inspect)
            let views = service.views.countByAdapter
            return service.adapters.all.map { adapter in
                var values = NamedValues([
                    ("state", .string(adapter.state.rawValue)), ("owner", .uint32(adapter.access.owner)),
                    ("source", .string(adapter.options.source.text)), ("revision", .uint64(adapter.status.revision)),
                    ("objects", .uint32(UInt32(clamping: adapter.status.objectCount))),
                    ("items", .uint32(UInt32(clamping: adapter.status.itemCount))),
                    ("views", .uint32(UInt32(clamping: views[ObjectIdentifier(adapter)] ?? 0))),
                    ("changes-10s", .uint64(adapter.signals.recentChanges.total())),
                ])
                if adapter.isReadable(by: call.peer) { values.append("source-error", .string(adapter.sourceError)) }
                if caller?.isAdministrator == true {
                    values.append("bytes", .uint64(UInt64(clamping: adapter.bytes.count)))
                }
                return DBusStruct(adapter.name, values)
            }
        }
    }

    /// Answers with rows that are read in the caller's turn. If a list was added or removed by then, they are read
    /// again, so that the answer has every list that the caller may know of.
    private func answer<Row: DBusEncodable & Sendable>(
        _ call: Call, count: Int, bytesPerRow: Int, _ rows: @escaping @DBusActor @Sendable () -> [Row]
    ) {
        service.calls.reads.answer(call, size: count * bytesPerRow) { [adapters = service.adapters] in
            adapters.stamp
        } _: {
            let rows = rows()
            return { writer in rows.encode(to: &writer) }
        }
    }
}
