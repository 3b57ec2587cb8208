// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers

// Changes of an existing list: new options, a new query, or the parts that it lacks.

extension AdapterObject {
    /// The maximum number of bytes of a source's argument: as many as the options of a list may have.
    private static let longestArgument = 65_536

    /// Applies new options. The objects stay, even if the section controllers move to another process.
    ///
    /// - Parameter controllers: the new section controllers; nil = they do not change.
    /// - Throws: an error of the store or the engine; the list then stays unchanged.
    func reconfigure(
        _ new: AdapterOptions, access: AdapterAccess, controllers: SectionControllerTable?
    ) async throws(ListError) {
        try await storeOptions(new)
        do throws(ListError) {
            try await configureHost(new, controllers: controllers)
        } catch {
            await restoreStoredOptions(afterRefusalOf: new)
            throw error
        }
        let before = options.source
        apply(new, access: access)
        emitPropertiesChanged(new.source == before ? ["Options"] : ["Source", "Options"])
        guard new.source != before, case .list(_, let argument) = new.source else { return }
        following?.setQuery(try DerivedQuery(parsing: argument)) { _ in }
    }

    /// Stores the previous options again, after the engine refused new ones.
    func restoreStoredOptions(afterRefusalOf new: AdapterOptions) async {
        do throws(ListError) {
            try await storeOptions(options)
        } catch {
            // The store now has the new durability, which may even end or begin storing. The options must show that.
            var actual = options
            actual.durability = new.durability
            apply(actual, access: access)
            emitPropertiesChanged(["Options"])
        }
    }

    /// Passes new options to the host, and new section controllers, in whatever process they run. The objects stay.
    ///
    /// - Parameter controllers: the new section controllers; nil = they do not change.
    func configureHost(
        _ new: AdapterOptions, controllers: SectionControllerTable?
    ) async throws(ListError) {
        try await finish { host.configure(new.configuration(named: name), controllers, done: $0) }
    }

    /// Stores the options, and begins or ends storing the list if the new durability requires it. If the store refuses
    /// the options, nothing changes.
    func storeOptions(_ new: AdapterOptions) async throws(ListError) {
        let values = try Fields(new.values)
        switch (stored.isStored, stored.isStored(with: new.durability)) {
        case (false, true):
            stored.enablePersistence(values, durability: new.durability)
            try await finish { host.keep(true, done: $0) }
        case (true, false):
            try await stored.disablePersistence(values)
            try await finish { host.keep(false, done: $0) }
        case (true, true), (false, false): try await stored.setOptions(values, durability: new.durability)
        }
    }

    /// Changes the list, and returns when that has succeeded.
    private func finish(_ change: (@escaping ListHost.RequestCompletion) -> Void) async throws(ListError) {
        let outcome = await withCheckedContinuation { continuation in
            change { answer, _ in continuation.resume(returning: answer.outcome) }
        }
        _ = try outcome.get()
    }

    // MARK: Changing the query

    func setSourceArgument(_ call: Call) throws {
        try service.checkWriting()
        try checkPresent()
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        guard caller.isAdministrator || caller.user == access.owner else {
            throw ListError(.accessDenied, "adapter \(name.quoted) belongs to user \(access.owner)")
        }
        let (argument, size) = try call.message.read { (reader) throws(DBusError) in
            try reader.readUTF8 { (bytes) throws(DBusError) in
                (bytes.count > Self.longestArgument ? "" : String(copying: bytes), bytes.count)
            }
        }
        guard size <= Self.longestArgument else {
            throw ListError(.payloadTooLarge, "argument: \(size) bytes exceed the limit of \(Self.longestArgument)")
        }
        guard case .list = options.source, let following else {
            let source = options.source.text
            throw ListError(
                .readOnly, "adapter \(name.quoted) follows no other list: its source is \(source.quoted)")
        }
        let query = try DerivedQuery(parsing: argument)
        service.calls.answer(call) { [self] in
            try await following.performInOrder { [self] () async throws(ListError) in
                try await setQuery(query, argument: argument, of: following)
            }
            recordWrite(by: call.peer)
            call.reply(status.revision)
        }
    }

    /// Changes the query of the follower, and stores the new query.
    ///
    /// - Parameter argument: the text of the query.
    /// - Throws: an error of the store or the engine; the list then stays unchanged.
    private func setQuery(_ query: DerivedQuery, argument: String, of follower: Follower) async throws(ListError) {
        guard following === follower, case .list(let base, let present) = options.source,
            !isEnding
        else { throw .gone(name) }
        guard argument != present else { return }
        var new = options
        new.source = .list(base, argument: argument)
        try await storeOptions(new)
        if let error = await applyQuery(query, to: follower) {
            if let present = try? DerivedQuery(parsing: present) { follower.setQuery(present) { _ in } }
            await restoreStoredOptions(afterRefusalOf: new)
            throw error
        }
        apply(new, access: access)
        emitPropertiesChanged(["Source", "Options"])
    }

    /// Changes the query of the follower; returns the error if the list refuses the new objects.
    private func applyQuery(_ query: DerivedQuery, to follower: Follower) async -> ListError? {
        await withCheckedContinuation { continuation in
            follower.setQuery(query) { continuation.resume(returning: $0) }
        }
    }

    // MARK: Missing parts

    /// Marks the list as failed because some of its parts are missing.
    func fail(_ faults: [ListError]) {
        let reason = ListError(.pluginFailed, faults.map(\.reason).joined(separator: "; "))
        changeFilling { $0.fail(reason.propertyText) }
    }

    /// Adds the missing section controllers and source. The objects stay until the source replaces them.
    ///
    /// - Throws: an error of the engine about the section controllers; the list then stays incomplete.
    func complete(with parts: AdapterParts) async throws(ListError) {
        guard filling.isIncomplete, !isEnding else { return parts.discard() }
        changeFilling { $0.setIncomplete(false) }
        do throws(ListError) {
            try await configureHost(options, controllers: parts.controllers)
        } catch {
            changeFilling { $0.setIncomplete(true) }
            parts.discard()
            throw error
        }
        guard !isEnding else { return parts.discard() }
        changeFilling { $0.setState(options.source == .push ? .ready : .loading) }
        startSource(parts.source, feed: parts.feed)
    }
}

extension SourceName {
    /// Returns whether a list keeps its objects when this source replaces another one: the sources are equal, or both
    /// follow the same list with different queries.
    func keepsObjects(replacing other: SourceName) -> Bool {
        if case .list(let base, _) = self, case .list(let before, _) = other {
            return ExactText(base) == ExactText(before)
        }
        return self == other
    }
}
