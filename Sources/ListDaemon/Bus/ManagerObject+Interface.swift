// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListProtocol
internal import ListSources
internal import ListSupport
internal import ListWorkers
@_spi(Daemon) internal import PluginAPI

// The table of org.listd.Listd1.Manager: the same members in the same order as the interface file.

extension ManagerObject {
    static let reloading = Signal("Reloading", ["active": "b"])

    static let interface = Interface<ManagerObject>(
        ObjectNames.manager, adapterMethods + daemonMethods + [.signal(reloading)] + properties)

    private static let adapterMethods: [Interface<ManagerObject>.Member] = [
        .method("CreateAdapter", in: ["name": "s", "options": "a{sv}"], out: ["adapter": "o"]) { manager, call in
            try manager.createAdapter(call)
        },
        .method("RemoveAdapter", in: ["name": "s"]) { manager, call in
            try manager.removeAdapter(call, try call.arguments(as: NameArgument.self).text)
        },
        .function("GetAdapter", in: ["name"], out: "adapter") { (manager, _, name: NameArgument) in
            try manager.service.adapters.existing(name.text).path
        },
        .method("ListAdapters", out: ["adapters": "a(sostuuu)"]) { manager, call in manager.listAdapters(call) },
        .method("DescribeAdapters", out: ["adapters": "a(sa{sv})"]) { manager, call in manager.describeAdapters(call) },
        .method("RenameAdapter", in: ["old": "s", "new": "s"]) { manager, call in try manager.renameAdapter(call) },
        .method("ListClients", out: ["clients": "a(ssusa{sv})"]) { manager, call in try manager.listClients(call) },
        .method("ListViews", out: ["views": "a(oostts)"]) { manager, call in manager.listViews(call) },
    ]

    private static let daemonMethods: [Interface<ManagerObject>.Member] = [
        .function("ListPlugins", out: "plugins") { (manager, _) in manager.listPlugins() },
        .method("LoadPlugin", in: ["file": "s"], out: ["plugin": "o"]) { manager, call in
            try manager.loadPlugin(call, try call.arguments(as: String.self))
        },
        .method("UnloadPlugin", in: ["name": "s"]) { manager, call in
            try manager.unloadPlugin(call, try call.arguments(as: NameArgument.self).text)
        },
        .method("Reload") { manager, call in
            _ = try manager.service.authority.administrator(call, for: .manageDaemon)
            let origin = Origin(call.peer)
            manager.service.answer(call, refusal: .reloadGivenUp) {
                try await manager.reload(origin)
                call.reply()
            }
        },
        .function("SetLogLevel", in: ["level"]) { (manager, call, level: NameArgument) in
            _ = try manager.service.authority.administrator(call, for: .manageDaemon)
            try manager.setLogLevel(level.text)
        },
        .method("Dump", out: ["text": "s"]) { manager, call in try manager.dump(call, inline: true) },
        .method("DumpByFileDescriptor", out: ["fd": "h"]) { manager, call in try manager.dump(call, inline: false) },
        .method("Backup", in: ["file": "h"]) { manager, call in try manager.backUp(call) },
        .function("GetStatistics", out: "counters") { (manager, _) in manager.service.counters },
    ]

    private static let properties: [Interface<ManagerObject>.Member] = [
        .property("Version", as: String.self, changes: .constant) { _, _ in Version.text },
        .property("Features", as: [String].self, changes: .constant) { manager, _ in manager.features },
        .property("PluginAPIVersion", as: UInt32.self, changes: .constant) { _, _ in PluginRecord.current.apiVersion },
        .property("DirectAddress", as: String.self, changes: .constant) { manager, _ in manager.directAddress },
        .property("LogLevel", as: String.self, changes: .emits) { manager, _ in manager.service.log.level.name },
        .property("AdapterCount", as: UInt32.self, changes: .silent) { manager, _ in
            UInt32(clamping: manager.service.adapters.count)
        },
        .property("ViewCount", as: UInt32.self, changes: .silent) { manager, _ in
            UInt32(clamping: manager.service.views.count)
        },
    ]

    private func setLogLevel(_ name: String) throws(ListError) {
        guard let level = Log.Level(name: name) else {
            throw ListError(
                .invalidArguments, "level \(name.quoted) is none of error, warning, notice, info, debug")
        }
        guard level != service.log.level else { return }
        service.log.level = level
        try? service.tree.propertiesChanged(["LogLevel"], of: Self.interface, at: .manager)
    }
}

extension Service {
    /// Everything that is counted, and how much there is of what users share.
    var counters: [String: UInt64] {
        var counters = statistics.values
        counters["adapters"] = UInt64(adapters.count)
        counters["views"] = UInt64(views.count)
        counters["objects"] = UInt64(clamping: total(\.objectCount))
        counters["items"] = UInt64(clamping: total(\.itemCount))
        counters["bytes"] = UInt64(clamping: quotas.total.bytes)
        counters["bulk-bytes"] = UInt64(clamping: bulk.bytesHeld)
        let files = lentFiles.use
        counters["lent-files"] = UInt64(clamping: files.files)
        counters["lent-bytes"] = UInt64(clamping: files.bytes)
        counters["waiting-calls"] = UInt64(clamping: admission.waitingCalls)
        counters["waiting-bytes"] = UInt64(clamping: admission.waitingBytes)
        let turns = EventLoop.shared.turns.lengths
        counters["loop-turn-p99"] = turns.quantile(0.99)
        counters["loop-turn-max"] = turns.longest
        counters["direct-clients-behind"] = UInt64(transports.direct.countBehind)
        for (plugin, times) in callbackTimes.byPlugin {
            counters["plugin-\(plugin)-calls"] = times.calls
            counters["plugin-\(plugin)-microseconds"] = times.nanoseconds / 1000
            counters["plugin-\(plugin)-longest-microseconds"] = times.longestNanoseconds / 1000
            counters["plugin-\(plugin)-orders"] = times.orders
            counters["plugin-\(plugin)-reports"] = times.reports
        }
        return counters
    }

    /// How much there is, for people, and what of it failed: `3 lists, 1204 objects, 2 views, 1 list failed`.
    var summary: String {
        func amount(_ count: Int, _ noun: String, _ what: String = "") -> String {
            "\(count) \(noun)\(count == 1 ? "" : "s")\(what)"
        }
        let lists = adapters.all
        let failed = lists.count { $0.state == .failed }
        let faulty = lists.count { $0.state != .failed && !$0.sourceError.isEmpty }
        let plugins = pluginObjects.all.count { $0.state == .failed }
        var parts = [
            amount(lists.count, "list"), amount(total(\.objectCount), "object"), amount(views.count, "view"),
        ]
        if failed > 0 { parts.append(amount(failed, "list", " failed")) }
        if faulty > 0 { parts.append(amount(faulty, "list", " with a source error")) }
        if plugins > 0 { parts.append(amount(plugins, "plugin", " failed")) }
        return parts.joined(separator: ", ")
    }

    /// What all lists have together; at the most what an `Int` holds.
    private func total(_ count: KeyPath<AdapterStatus, Int>) -> Int {
        adapters.all.reduce(0) { $0.addingSaturated($1.status[keyPath: count]) }
    }
}

extension Int {
    /// The sum, or the number next to it that there is.
    fileprivate func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
