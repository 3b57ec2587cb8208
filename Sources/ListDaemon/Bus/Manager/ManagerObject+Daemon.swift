// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
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
