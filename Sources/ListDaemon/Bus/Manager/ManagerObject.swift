// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers
internal import PluginAPI

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
                "renamed from \(old.text.debugDescription)", of: adapter, by: origin, limitedBy: call.peer.userText)
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
