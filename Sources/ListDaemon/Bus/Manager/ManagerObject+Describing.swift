// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListConfiguration
internal import ListKit
internal import ListSupport
internal import ListWorkers

// There may be thousands of lists, views and clients. Their values are read first, and are encoded on another thread
// when the caller's turn has come.

extension ManagerObject {
    /// The approximate maximum bytes of a row in an answer, if names are not very long.
    private static let rowBytes = 512

    /// Answers `ListAdapters`: name, path and values of each list. A list's size is for administrators; its source's
    /// error and its last writer are for its readers.
    func listAdapters(_ call: Call) {
        let service = service
        answer(call, count: service.adapters.count) {
            let caller = try? service.authority.caller(call.peer, for: .inspect)
            let views = service.views.countByAdapter
            return service.adapters.all.map { adapter in
                let isReadable = adapter.isReadable(by: call.peer)
                var values = NamedValues([
                    ("state", .string(adapter.state.rawValue)), ("owner", .uint32(adapter.access.owner)),
                    ("owner-name", .string(service.authority.name(ofUser: adapter.access.owner))),
                    ("source", .string(adapter.options.source.text)),
                    ("source-error", .string(isReadable ? adapter.sourceError : "")),
                    ("epoch", .string(adapter.epoch)), ("revision", .uint64(adapter.status.revision)),
                    ("objects", .uint32(UInt32(clamping: adapter.status.objectCount))),
                    ("items", .uint32(UInt32(clamping: adapter.status.itemCount))),
                    ("views", .uint32(UInt32(clamping: views[ObjectIdentifier(adapter)] ?? 0))),
                    ("changes-10s", .uint64(adapter.signals.recentChanges.total())),
                ])
                if caller?.isAdministrator == true {
                    values.append("bytes", .uint64(UInt64(clamping: adapter.bytes.count)))
                }
                if isReadable, let write = adapter.lastWrite {
                    values.append("last-writer", .string(service.authority.name(ofUser: write.user)))
                    values.append("last-write", .uint64(write.time))
                }
                return DBusStruct(adapter.name, adapter.path, values)
            }
        }
    }

    /// Answers `ListViews`: path and values of each view. If the peer may not read the view's contents, the sequences
    /// are 0, and the answer does not say which sections are visible.
    func listViews(_ call: Call) {
        answer(call, count: service.views.count) { [service, peer = call.peer] in
            service.views.all.map { view in
                let isReadable = view.isReadable(by: peer)
                var values = NamedValues([
                    ("adapter", .objectPath(view.adapter.path)), ("client", .string(view.owner.name)),
                    ("user", .uint32(view.user)), ("sequence", .uint64(isReadable ? view.sequence : 0)),
                    ("acked-sequence", .uint64(isReadable ? view.acknowledgedSequence : 0)),
                    ("state", .string(view.state)),
                ])
                if isReadable {
                    values.append("visible", (view.description?.visibleSections ?? 0..<0).busValue)
                    values.append("working-range", (view.description?.workingRange ?? 0..<0).busValue)
                }
                return DBusStruct(view.path, values)
            }
        }
    }

    /// Answers `ListClients`: unique name and values of each connected client that has called.
    func listClients(_ call: Call) throws {
        _ = try service.authority.administrator(call, for: .inspect)
        answer(call, count: service.calls.clients.count) { [service] in
            let views = Dictionary(grouping: service.views.all) { ObjectIdentifier($0.owner) }.mapValues(\.count)
            return service.calls.clients.all.map { client in
                let (peer, key, recent) = (client.peer, ObjectIdentifier(client.peer), client.recent)
                let values = NamedValues([
                    ("transport", .string(service.transports.isOnBus(peer) ? "bus" : "direct")),
                    ("user", .uint32(peer.credentials?.userID ?? .max)), ("command", .string(peer.command)),
                    ("pid", .uint32(UInt32(clamping: peer.process))), ("calls", .uint64(client.calls)),
                    ("bytes", .uint64(client.bytes)), ("calls-10s", .uint64(recent.calls)),
                    ("bytes-10s", .uint64(recent.bytes)), ("views", .uint64(UInt64(views[key] ?? 0))),
                    ("subscriptions", .uint64(UInt64(service.limits.subscriptions.count(of: peer)))),
                    ("last-call", .uint64(client.lastCall)),
                ])
                return DBusStruct(peer.name, values)
            }
        }
    }

    /// Answers `ListPlugins`: name and values of each plugin. A plugin without a worker has no process of its own.
    func listPlugins(_ call: Call) {
        answer(call, count: service.plugins.all.count) { [service] in
            service.plugins.all.map { plugin in
                var values = NamedValues([
                    ("version", .string(plugin.version)), ("file", .string(plugin.file)),
                    ("isolation", .string(plugin.isolation.rawValue)), ("state", .string(plugin.state.rawValue)),
                    ("error", .string(plugin.lastError)), ("restarts", .uint64(UInt64(plugin.restartCount))),
                ])
                if plugin.isolation == .worker, plugin.processID != 0,
                    let memory = KernelFile.residentBytes(ofProcess: plugin.processID)
                {
                    values.append("pid", .uint32(plugin.processID))
                    values.append("memory", .uint64(memory))
                }
                return DBusStruct(plugin.name, values)
            }
        }
    }

    /// Answers with rows that are read in the caller's turn. If a list was added or removed by then, they are read
    /// again, so that the answer has every list that the caller may know of.
    private func answer<Row: DBusEncodable & Sendable>(
        _ call: Call, count: Int, _ rows: @escaping @DBusActor @Sendable () -> [Row]
    ) {
        service.calls.reads.answer(call, size: count * Self.rowBytes) { [adapters = service.adapters] in
            adapters.stamp
        } _: {
            let rows = rows()
            return { writer in rows.encode(to: &writer) }
        }
    }
}

extension Range<Int> {
    /// The range as `(uu)`: the first section and the number of sections; (0, 0) for no section.
    fileprivate var busValue: DBusValue {
        .structure(
            isEmpty
                ? [.uint32(0), .uint32(0)] : [.uint32(UInt32(clamping: lowerBound)), .uint32(UInt32(clamping: count))])
    }
}

extension KernelFile {
    /// The bytes of memory that a process has in use (proc_pid_statm(5)); nil when there is no such process.
    fileprivate static func residentBytes(ofProcess process: UInt32) -> UInt64? {
        let fields = text("/proc/\(process)/statm")?.split(separator: " ") ?? []
        guard fields.count > 1, let pages = UInt64(fields[1]) else { return nil }
        return pages &* UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
