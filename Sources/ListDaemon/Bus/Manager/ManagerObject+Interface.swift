// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListProtocol
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers
@_spi(Daemon) internal import PluginAPI

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
