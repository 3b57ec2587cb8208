// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import Glibc
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListProtocol
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers
@_spi(Daemon) internal import PluginAPI

/// The manager's object on the bus, with the methods on adapters, plugins and the daemon itself.
@DBusActor
package final class ManagerObject {
    let service: Service
    private let builtFeatures: [String]
    /// The address for direct clients; empty = direct connections are not accepted.
    let directAddress: String
    /// Reloads the configuration.
    let reload: @DBusActor (Origin) async throws -> Void
    /// Ends the daemon in order, so that it is started again.
    let restart: @Sendable () -> Void

    /// The features of this build and of the running daemon.
    var features: [String] { builtFeatures + (service.authority.polkit.isAvailable ? ["polkit"] : []) }

    /// Makes the manager.
    ///
    /// - Parameter features: the features that do not depend on other services on the bus.
    init(
        service: Service, features: [String], directAddress: String,
        reload: @escaping @DBusActor (Origin) async throws -> Void, restart: @escaping @Sendable () -> Void
    ) {
        self.service = service
        builtFeatures = features
        self.directAddress = directAddress
        self.reload = reload
        self.restart = restart
    }

    /// Exports the manager's object, and the one that controls the log.
    package func register() {
        service.tree.add(ExportedObject(Self.interface, of: self), at: .manager)
        LogControlObject.register(service)
    }
}

// MARK: - Adapters

extension ManagerObject {
    /// The maximum number of bytes of a list's options: a single answer contains those of all lists.
    private static let largestOptions = 65_536

    func createAdapter(_ call: Call) throws {
        try service.checkWriting()
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        try service.calls.decode(call) { (reader) throws(DBusError) in
            (name: try NameArgument(from: &reader).text, values: try reader.readOptions())
        } then: { [self] arguments in
            try createAdapter(call, by: caller, arguments.name, arguments.values)
        }
    }

    private func createAdapter(_ call: Call, by caller: Caller, _ name: String, _ values: [String: Value]) throws {
        try checkCreation(of: name, values, by: caller)
        let size = try Fields(values).byteCount
        guard size <= ManagerObject.largestOptions else {
            throw ListError(
                .payloadTooLarge, "options: \(size) bytes exceed the limit of \(ManagerObject.largestOptions)")
        }
        var options = try AdapterOptions(values)
        // After a crash, the connection that the list is bound to is gone, so the list need not be stored.
        if options.transient { options.durability = .memory }
        let access = AdapterAccess(
            owner: caller.user, readers: options.readers, writers: options.writers,
            invokers: options.invokers, mayHaveSource: caller.isAdministrator)
        let origin = Origin(call.peer)
        answer(call) { [service, options] in
            let adapter = try await service.lifecycle.makeAdapter(name: name, options: options, access: access)
            if options.transient { service.lifecycle.removeWhenDeparted(adapter, creator: call.peer) }
            service.log("created", of: adapter, by: origin, limitedBy: call.peer.userText)
            call.reply(adapter.path)
        }
    }

    /// Throws if the caller may not create the list. A user who may read a list may create a transient list that
    /// follows it.
    private func checkCreation(of name: String, _ values: [String: Value], by caller: Caller) throws(ListError) {
        guard let source = values["source"]?.string.flatMap({ SourceName($0) }), let base = source.followed else {
            try service.limits.checkCreator(caller)
            return try checkSource(values["source"], by: caller)
        }
        if values["transient"] != true { try service.limits.checkCreator(caller) }
        try service.checkForCycle(ofList: name, source: source)
        try service.checkFollowing(base, by: caller)
    }

    /// Throws if a caller who is no administrator names a source, because sources read with listd's rights. Nothing
    /// that the source names is accessed before, so the answer does not reveal what exists.
    private func checkSource(_ source: Value?, by caller: Caller) throws(ListError) {
        guard let source, source != .string(SourceName.push.text), !caller.isAdministrator else { return }
        throw ListError(
            .accessDenied,
            "user \(caller.user) may not create a list with a source other than push; only administrators and "
                + "configuration files may")
    }

    /// Runs a slow operation that answers a call; an error that it throws is the answer.
    func answer(_ call: Call, _ body: @escaping @DBusActor () async throws -> Void) {
        service.calls.answer(call, body)
    }

    func removeAdapter(_ call: Call, _ name: String) throws {
        try service.checkWriting()
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        let adapter = try service.adapters.existingObject(named: name)
        guard adapter.access.allowsRemoving(caller) else { throw removalRefusal(of: adapter) }
        let origin = Origin(call.peer)
        answer(call) { [service] in
            try await service.lifecycle.remove(adapter)
            service.log("removed", of: adapter, by: origin, limitedBy: call.peer.userText)
            call.reply()
        }
    }

    func renameAdapter(_ call: Call) throws {
        try service.checkWriting()
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        let (old, new) = try call.arguments(as: NameArgument.self, NameArgument.self)
        let adapter = try service.adapters.existingObject(named: old.text)
        guard adapter.access.allowsRemoving(caller) else { throw removalRefusal(of: adapter) }
        let origin = Origin(call.peer)
        answer(call) { [service] in
            try await service.lifecycle.rename(adapter, to: new.text)
            service.log(
                "renamed from \(old.text.quoted)", of: adapter, by: origin, limitedBy: call.peer.userText)
            call.reply()
        }
    }

    private func removalRefusal(of adapter: AdapterObject) -> ListError {
        ListError(
            .accessDenied,
            adapter.access.isConfigured
                ? "adapter \(adapter.name.quoted) is from a configuration file, so clients cannot rename or remove it"
                : "adapter \(adapter.name.quoted) belongs to user \(adapter.access.owner)")
    }
}

// The interface table of org.listd.Listd1.Manager: the same members in the same order as the interface file.

extension ManagerObject {
    static let reloading = Signal("Reloading", ["active": "b"])

    static let interface = Interface<ManagerObject>(
        ObjectNames.manager, typeNames: qtTypeNames, adapterMethods + daemonMethods + [.signal(reloading)] + properties)

    private static let adapterMethods: [Interface<ManagerObject>.Member] = [
        .method("CreateAdapter", in: ["name": "s", "options": "a{sv}"], out: ["adapter": "o"]) { manager, call in
            try manager.createAdapter(call)
        },
        .method("RemoveAdapter", in: ["name": "s"]) { manager, call in
            try manager.removeAdapter(call, try call.arguments(as: NameArgument.self).text)
        },
        .function("GetAdapter", in: ["name"], out: "adapter") { (manager, _, name: NameArgument) in
            try manager.service.adapters.existingObject(named: name.text).path
        },
        .method("ListAdapters", out: ["adapters": "a(soa{sv})"]) { manager, call in manager.listAdapters(call) },
        .method("RenameAdapter", in: ["old_name": "s", "new_name": "s"]) { manager, call in
            try manager.renameAdapter(call)
        },
        .method("ListClients", out: ["clients": "a(sa{sv})"]) { manager, call in try manager.listClients(call) },
        .method("ListViews", out: ["views": "a(oa{sv})"]) { manager, call in manager.listViews(call) },
    ]

    private static let daemonMethods: [Interface<ManagerObject>.Member] = [
        .method("ListPlugins", out: ["plugins": "a(sa{sv})"]) { manager, call in manager.listPlugins(call) },
        .method("LoadPlugin", in: ["file": "s"], out: ["plugin": "o"]) { manager, call in
            try manager.loadPlugin(call, try call.arguments(as: String.self))
        },
        .method("UnloadPlugin", in: ["name": "s"]) { manager, call in
            try manager.unloadPlugin(call, try call.arguments(as: NameArgument.self).text)
        },
        .method("Reload") { manager, call in
            _ = try manager.service.authority.administrator(call, for: .manageDaemon)
            let origin = Origin(call.peer)
            manager.service.calls.answer(call, refusal: .reloadGivenUp) {
                try await manager.reload(origin)
                call.reply()
            }
        },
        .function("GetStatistics", out: "counters") { (manager, _) in manager.service.counters },
        .method("Dump", out: ["text": "s"]) { manager, call in try manager.dump(call, inline: true) },
        .method("DumpByFileDescriptor", out: ["fd": "h"]) { manager, call in try manager.dump(call, inline: false) },
        .method("Backup", in: ["file": "h"]) { manager, call in try manager.backUp(call) },
        .method("Restore", in: ["file": "h"]) { manager, call in try manager.restore(call) },
        .method("AcknowledgeLosses") { manager, call in try manager.acknowledgeLosses(call) },
    ]

    private static let properties: [Interface<ManagerObject>.Member] = [
        .property("Version", as: String.self, changes: .constant) { _, _ in Version.text },
        .property("Features", as: [String].self, changes: .constant) { manager, _ in manager.features },
        .property("PluginAPIVersion", as: UInt32.self, changes: .constant) { _, _ in PluginRecord.current.apiVersion },
        .property("DirectAddress", as: String.self, changes: .constant) { manager, _ in manager.directAddress },
        .property("Losses", as: [DBusStruct<UInt64, String>].self, changes: .emits) { manager, _ in
            manager.service.losses.map { DBusStruct(UInt64(clamping: $0.time), $0.text) }
        },
        .property("AdapterCount", as: UInt32.self, changes: .silent) { manager, _ in
            UInt32(clamping: manager.service.adapters.count)
        },
        .property("ViewCount", as: UInt32.self, changes: .silent) { manager, _ in
            UInt32(clamping: manager.service.views.count)
        },
    ]
}

// Methods about the daemon itself: its plugins, its state, its store.

extension ManagerObject {
    func loadPlugin(_ call: Call, _ file: String) throws {
        _ = try service.authority.administrator(call, for: .loadPlugins)
        answer(call) { [service] in
            let plugin = try await service.plugins.registry.load(file)
            await service.lifecycle.completeAdapters(plugin: plugin.name)
            call.reply(service.plugins.path(of: plugin.name))
        }
    }

    func unloadPlugin(_ call: Call, _ name: String) throws {
        _ = try service.authority.administrator(call, for: .loadPlugins)
        let users = service.users(ofPlugin: name)
        answer(call) { [service] in
            try await service.plugins.registry.unload(name, usedBy: users)
            call.reply()
        }
    }

    /// Answers `Backup`: writes a copy of the store into a file that the caller has opened.
    func backUp(_ call: Call) throws {
        _ = try service.authority.administrator(call, for: .inspect)
        let file = try call.message.read { (reader) throws(DBusError) in
            try reader.readFileDescriptor(of: "file")
        }
        guard let store = service.store else {
            throw ListError(.storeFailed, "listd has no store to back up, because it runs without a state directory")
        }
        let origin = Origin(call.peer)
        answer(call) { [log = service.log] in
            do {
                try await store.backUp(toDescriptor: file.rawValue)
            } catch {
                log.write(.error, { "a backup by \(origin.text) failed: \(error)" }, origin.fields, limitedBy: nil)
                throw error
            }
            log.write(.notice, { "a backup was made by \(origin.text)" }, origin.fields, limitedBy: nil)
            call.reply()
        }
    }

    /// Answers `Restore`: verifies a backup and puts it aside; then the daemon ends in order, so that its next start takes
    /// it.
    func restore(_ call: Call) throws {
        try service.checkWriting()
        _ = try service.authority.administrator(call, for: .manageDaemon)
        let file = try call.message.read { (reader) throws(DBusError) in
            try reader.readFileDescriptor(of: "file")
        }
        guard let store = service.store else {
            throw ListError(.storeFailed, "listd has no store to restore, because it runs without a state directory")
        }
        let origin = Origin(call.peer)
        answer(call) { [service, restart] in
            try await store.prepareRestoring(fromDescriptor: file.rawValue, losses: service.losses)
            service.log.write(
                .notice, { "the store is replaced by a backup, and listd restarts, as \(origin.text) asked" },
                origin.fields, limitedBy: nil)
            call.reply()
            restart()
        }
    }

    /// Answers `AcknowledgeLosses`: an administrator knows the losses, so they leave the sight.
    func acknowledgeLosses(_ call: Call) throws {
        _ = try service.authority.administrator(call, for: .manageDaemon)
        let origin = Origin(call.peer)
        answer(call) { [service] in
            let count = service.losses.count
            await service.acknowledgeLosses()
            if count > 0 {
                service.log.write(
                    .notice, { "\(count) losses were acknowledged by \(origin.text)" }, origin.fields,
                    limitedBy: nil)
                try? service.tree.propertiesChanged(["Losses"], of: Self.interface, at: .manager)
            }
            call.reply()
        }
    }

    /// Answers `Dump` (inline) and `DumpByFileDescriptor`: the daemon's state, for people who look for an error.
    func dump(_ call: Call, inline: Bool) throws {
        _ = try service.authority.administrator(call, for: .inspect)
        answer(call) { [self] in
            let text = await StateDump(service, features: features, directAddress: directAddress).text()
            if inline {
                service.calls.outbox.answer(call, size: text.utf8.count) { { $0.append(text) } }
            } else {
                call.reply(try SealedMemory.file(named: "listd dump", containing: Array(text.utf8)))
            }
        }
    }
}

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
                    ("views", .uint32(UInt32(clamping: service.views.count(of: adapter)))),
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
        service.calls.queue.expectAnswer(to: call, size: count * Self.rowBytes)
        service.calls.outbox.answer(call, size: count * Self.rowBytes) { [adapters = service.adapters] in
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

/// The object with which `systemctl service-log-level` sets the log level (org.freedesktop.LogControl1(5)).
@DBusActor
final class LogControlObject {
    /// The words that are accepted, from the most important level on.
    private static let levels: [(word: String, level: Log.Level)] = [
        ("emerg", .error), ("alert", .error), ("crit", .error), ("err", .error), ("warning", .warning),
        ("notice", .notice), ("info", .info), ("debug", .debug),
    ]

    private let service: Service
    /// The word that was set last. Several words mean the same level.
    private var word: String

    private init(service: Service) {
        self.service = service
        let level = service.log.level
        word = Self.levels.last { $0.level == level }?.word ?? ""
    }

    /// Exports the object.
    static func register(_ service: Service) {
        service.tree.add(ExportedObject(interface, of: LogControlObject(service: service)), at: .logControl)
    }

    static let interface = Interface<LogControlObject>(
        "org.freedesktop.LogControl1",
        [
            .property("LogLevel", as: String.self, changes: .silent) { object, _ in
                object.word
            } checkSetting: { object, call in
                _ = try object.service.authority.administrator(call, for: .manageDaemon)
            } set: { (object, value: NameArgument, _) in
                try object.setLevel(value.text)
            },
            .property("LogTarget", as: String.self, changes: .silent) { object, _ in
                object.service.log.isInJournal ? "journal" : "console"
            },
            .property("SyslogIdentifier", as: String.self, changes: .constant) { _, _ in "listd" },
        ])

    private func setLevel(_ new: String) throws(ListError) {
        guard let level = Self.levels.first(where: { $0.word == new })?.level else {
            let words = Self.levels.map(\.word).joined(separator: ", ")
            throw ListError(.invalidArguments, "LogLevel: \(new.quoted) is not one of \(words)")
        }
        (word, service.log.level) = (new, level)
    }
}

extension ObjectPath {
    fileprivate static let logControl: ObjectPath = "/org/freedesktop/LogControl1"
}
