// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSources
internal import ListStore
internal import ListWorkers

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
        answer(call) {
            try await store.backUp(toDescriptor: file.rawValue)
            call.reply()
        }
    }

    /// Answers `Dump` (inline) and `DumpByFileDescriptor`: the daemon's state, for people who look for an error.
    func dump(_ call: Call, inline: Bool) throws {
        _ = try service.authority.administrator(call, for: .inspect)
        answer(call) { [self] in
            let text = await StateDump(service, features: features, directAddress: directAddress).text()
            if inline {
                service.calls.reads.answer(call, size: text.utf8.count) {
                    $0.append(text)
                } finished: {
                }
            } else {
                call.reply(try SealedMemory.file(named: "listd dump", containing: Array(text.utf8)))
            }
        }
    }
}
