// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers

/// Gives a list other options, another query, or the parts that it lacks.
@DBusActor
struct AdapterReconfiguring {
    let adapter: AdapterObject
    private var service: Service { adapter.service }

    /// The most bytes that the argument of a source may have: as many as the options of a list.
    private static let longestArgument = 65_536

    /// Takes other options over; the objects stay, wherever the section controllers are from now on.
    ///
    /// - Parameter controllers: the section controllers, if they are others than before.
    /// - Throws: why the store or the engine did not take them; everything is as it was then.
    func reconfigure(
        _ new: AdapterOptions, access: AdapterAccess, controllers: SectionControllerTable?
    ) async throws(ListError) {
        try await store(as: new)
        do throws(ListError) {
            try await configureHost(new, controllers: controllers)
        } catch {
            await storeAgain(new)
            throw error
        }
        let before = adapter.options.source
        adapter.adopt(new, access: access)
        adapter.propertiesChanged(new.source == before ? ["Options"] : ["Source", "Options"])
        guard new.source != before, case .list(_, let argument) = new.source else { return }
        adapter.following?.setQuery(try DerivedQuery(parsing: argument)) { _ in }
    }

    /// Has the list stored as it was before options that the engine did not take.
    func storeAgain(_ new: AdapterOptions) async {
        do throws(ListError) {
            try await store(as: adapter.options)
        } catch {
            // It is stored as the new options say, whether it is one that is kept or not: that must not be hidden.
            var actual = adapter.options
            actual.durability = new.durability
            adapter.adopt(actual, access: adapter.access)
            adapter.propertiesChanged(["Options"])
        }
    }

    /// Lets other section controllers show the list, wherever they are; the objects stay.
    func configureHost(
        _ new: AdapterOptions, controllers: SectionControllerTable?
    ) async throws(ListError) {
        try await ask { [name = adapter.name] id in .configure(id, new.configuration(named: name), controllers) }
    }

    /// Has the list stored as options say, from now on; when the store refuses, everything is as it was.
    func store(as new: AdapterOptions) async throws(ListError) {
        let values = try Fields(new.values)
        switch (adapter.stored.isStored, adapter.stored.isStored(with: new.durability)) {
        case (false, true):
            adapter.stored.begin(values, durability: new.durability)
            try await ask { id in .keep(id, true) }
        case (true, false):
            try await adapter.stored.end(values)
            try await ask { id in .keep(id, false) }
        case (true, true), (false, false): try await adapter.stored.setOptions(values, durability: new.durability)
        }
    }

    private func ask(_ command: (RequestID) -> AdapterCommand) async throws(ListError) {
        let outcome = await withCheckedContinuation { continuation in
            adapter.request({ continuation.resume(returning: $0) }, command)
        }
        _ = try outcome.get()
    }

    // MARK: Another query

    func setSourceArgument(_ call: Call) throws {
        try service.checkWriting()
        try adapter.checkPresent()
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        guard caller.isAdministrator || caller.user == adapter.access.owner else {
            throw ListError(.accessDenied, "adapter \(adapter.name.quoted) belongs to user \(adapter.access.owner)")
        }
        let (argument, size) = try call.message.read { (reader) throws(DBusError) in
            try reader.readUTF8 { (bytes) throws(DBusError) in
                (bytes.count > Self.longestArgument ? "" : String(copying: bytes), bytes.count)
            }
        }
        guard size <= Self.longestArgument else {
            throw ListError(.payloadTooLarge, "argument: \(size) bytes, more than \(Self.longestArgument)")
        }
        guard case .list = adapter.options.source, let following = adapter.following else {
            let source = adapter.options.source.text
            throw ListError(
                .readOnly, "adapter \(adapter.name.quoted) is filled by \(source), not by another list")
        }
        let query = try DerivedQuery(parsing: argument)
        service.calls.answer(call) {
            try await following.inOrder { () async throws(ListError) in
                try await setQuery(argument, query, of: following)
            }
            call.reply(adapter.status.revision)
        }
    }

    /// Follows with another query, and has that stored.
    ///
    /// - Throws: why the store or the engine did not take it; everything is as it was then.
    private func setQuery(_ argument: String, _ query: DerivedQuery, of follower: Follower) async throws(ListError) {
        guard adapter.following === follower, case .list(let base, let present) = adapter.options.source,
            !adapter.presence.isEnding
        else { throw .gone(adapter.name) }
        guard argument != present else { return }
        var new = adapter.options
        new.source = .list(base, argument: argument)
        try await store(as: new)
        if let error = await follow(query, by: follower) {
            if let present = try? DerivedQuery(parsing: present) { follower.setQuery(present) { _ in } }
            await storeAgain(new)
            throw error
        }
        adapter.adopt(new, access: adapter.access)
        adapter.propertiesChanged(["Source", "Options"])
    }

    private func follow(_ query: DerivedQuery, by follower: Follower) async -> ListError? {
        await withCheckedContinuation { continuation in
            follower.setQuery(query) { continuation.resume(returning: $0) }
        }
    }

    // MARK: Missing parts

    /// Marks the list as failed because some of its parts are missing.
    func fail(_ faults: [ListError]) {
        let reason = ListError(.pluginFailed, faults.map(\.reason).joined(separator: "; "))
        adapter.changeFilling { $0.fail(reason.propertyText) }
    }

    /// Takes the section controllers and the source that were missing; the objects stay until the source tells others.
    ///
    /// - Throws: why the engine did not take the section controllers; the list is as incomplete as it was then.
    func complete(with parts: AdapterParts) async throws(ListError) {
        guard adapter.filling.isIncomplete, !adapter.presence.isEnding else { return parts.discard() }
        adapter.changeFilling { $0.setIncomplete(false) }
        do throws(ListError) {
            try await configureHost(adapter.options, controllers: parts.controllers)
        } catch {
            adapter.changeFilling { $0.setIncomplete(true) }
            parts.discard()
            throw error
        }
        guard !adapter.presence.isEnding else { return parts.discard() }
        parts.relays.adapter.setTarget(adapter)
        adapter.changeFilling { $0.enter(adapter.options.source == .push ? .ready : .loading) }
        adapter.begin(parts.source, parts.relays.feed)
    }
}

extension SourceName {
    /// Whether a list goes on with its objects when this source takes the place of another: it is the same, or the same list is
    /// followed with another query.
    func continues(_ other: SourceName) -> Bool {
        if case .list(let base, _) = self, case .list(let before, _) = other {
            return ExactText(base) == ExactText(before)
        }
        return self == other
    }
}
