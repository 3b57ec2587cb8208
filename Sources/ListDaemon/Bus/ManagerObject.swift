// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers
internal import PluginAPI

/// The manager on the bus: adapters, plugins, the daemon itself.
@DBusActor
package final class ManagerObject {
    let service: Service
    private let builtFeatures: [String]
    /// Where direct clients connect; empty = nowhere.
    let directAddress: String
    /// Reloads the configuration.
    let reload: @DBusActor (Origin) async throws -> Void

    /// What the daemon can do, as built and running.
    var features: [String] { builtFeatures + (service.authority.polkit.isAvailable ? ["polkit"] : []) }

    /// Makes the manager.
    ///
    /// - Parameter features: those that do not depend on who else is on the bus.
    init(
        service: Service, features: [String], directAddress: String,
        reload: @escaping @DBusActor (Origin) async throws -> Void
    ) {
        self.service = service
        builtFeatures = features
        self.directAddress = directAddress
        self.reload = reload
    }

    /// Shows the manager.
    package func register() {
        service.tree.add(ExportedObject(Self.interface, of: self), at: .manager)
    }
}

// MARK: - Adapters

extension ManagerObject {
    /// The most bytes of options that a list may be made with: one answer tells those of all lists.
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
        try check(name, values, by: caller)
        let size = try Fields(values).byteCount
        guard size <= ManagerObject.largestOptions else {
            throw ListError(
                .payloadTooLarge, "options: \(size) bytes, more than \(ManagerObject.largestOptions)")
        }
        var options = try AdapterOptions(values)
        // After a crash its connection is gone, so the list is not restored.
        if options.transient { options.durability = .memory }
        let access = AdapterAccess(
            owner: caller.user, readers: options.readers, writers: options.writers,
            invokers: options.invokers, mayHaveSource: caller.isAdministrator)
        let origin = Origin(call.peer)
        answer(call) { [service, options] in
            let adapter = try await service.lifecycle.makeAdapter(name: name, options: options, access: access)
            if options.transient { service.lifecycle.remove(adapter, with: call.peer) }
            service.log(adapter, "created", by: origin, limitedBy: call.peer.userText)
            call.reply(adapter.path)
        }
    }

    /// Refuses those that may not create such a list: whoever may read another one may follow it, as long as it is connected.
    private func check(_ name: String, _ values: [String: Value], by caller: Caller) throws(ListError) {
        guard let source = values["source"]?.string.flatMap({ SourceName($0) }), let base = source.followed else {
            try service.limits.checkCreator(caller)
            return try checkSource(values["source"], by: caller)
        }
        if values["transient"] != true { try service.limits.checkCreator(caller) }
        try service.checkCircle(name, source)
        try service.checkFollowing(base, by: caller)
    }

    /// Refuses sources that read with listd's rights to all but administrators, before anything that they name is
    /// accessed: the answer does not tell what exists.
    private func checkSource(_ source: Value?, by caller: Caller) throws(ListError) {
        guard let source, source != .string(SourceName.push.text), !caller.isAdministrator else { return }
        throw ListError(
            .accessDenied,
            "user \(caller.user) may not create a list with a source other than push: those are for administrators and "
                + "configured lists")
    }

    /// Runs work that may wait; an error that it throws is the answer.
    func answer(_ call: Call, _ body: @escaping @DBusActor () async throws -> Void) {
        service.calls.answer(call, body)
    }

    func removeAdapter(_ call: Call, _ name: String) throws {
        try service.checkWriting()
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        let adapter = try service.adapters.existing(name)
        guard adapter.access.allowsRemoving(caller) else { throw removalRefused(adapter) }
        let origin = Origin(call.peer)
        answer(call) { [service] in
            try await service.lifecycle.remove(adapter)
            service.log(adapter, "removed", by: origin, limitedBy: call.peer.userText)
            call.reply()
        }
    }

    func renameAdapter(_ call: Call) throws {
        try service.checkWriting()
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        let (old, new) = try call.arguments(as: NameArgument.self, NameArgument.self)
        let adapter = try service.adapters.existing(old.text)
        guard adapter.access.allowsRemoving(caller) else { throw removalRefused(adapter) }
        let origin = Origin(call.peer)
        answer(call) { [service] in
            try await service.lifecycle.rename(adapter, to: new.text)
            service.log(
                adapter, "renamed from \(old.text.debugDescription)", by: origin, limitedBy: call.peer.userText)
            call.reply()
        }
    }

    private func removalRefused(_ adapter: AdapterObject) -> ListError {
        ListError(
            .accessDenied,
            adapter.access.isConfigured
                ? "adapter \(adapter.name.quoted) comes from a configuration file"
                : "adapter \(adapter.name.quoted) belongs to user \(adapter.access.owner)")
    }
}
