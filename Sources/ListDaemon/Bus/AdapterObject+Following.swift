// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListSupport
internal import ListWorkers
internal import PluginAPI

extension AdapterObject: FollowableList {
    /// The most bytes that the argument of a source may have: as many as the options of a list.
    private static let longestArgument = 65_536

    // MARK: Who may read

    /// Whether not everybody may read the list: by its own rule, or by that of a list that it follows.
    var isRestricted: Bool { access.isRestricted || following?.isRestricted == true }

    /// Whether `caller` may read the list, and the one that it follows.
    func allowsReading(_ caller: Caller) -> Bool {
        access.allowsReading(caller) && following?.allowsReading(caller) != false
    }

    /// Whether the user that created this list may read another one.
    func ownerMayRead(_ other: any FollowableList) -> Bool {
        access.mayHaveSource || other.allowsReading(service.authority.caller(user: access.owner))
    }

    // MARK: Hints

    /// How people want to see fields: its own hints, and for other fields those of its source.
    var hints: [String: FieldHint] { sourceHints.merging(options.hints) { _, own in own } }

    /// Runs what may change what its source says of fields; if it did, clients and the lists that follow this one are told.
    func changeHints(_ change: () -> Void) {
        let before = hints
        change()
        if hints != before { hintsChanged() }
    }

    /// Tells clients that the hints are others, and the lists that follow this one.
    func hintsChanged() {
        propertiesChanged(["Options"])
        service.adapters.followers.hintsChanged(of: self)
    }

    // MARK: SetSourceArgument

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
            throw ListError(.payloadTooLarge, "argument: \(size) bytes, more than \(Self.longestArgument)")
        }
        guard case .list = options.source, let following else {
            throw ListError(
                .readOnly, "adapter \(name.quoted) is filled by \(options.source.text), not by another list")
        }
        let query = try DerivedQuery(parsing: argument)
        service.answer(call) { [self] in
            try await following.inOrder { [self] () async throws(ListError) in
                try await take(argument, query, of: following)
            }
            call.reply(status.revision)
        }
    }

    /// Follows with another query, and has that stored.
    ///
    /// - Throws: why the store or the engine did not take it; everything is as it was then.
    private func take(_ argument: String, _ query: DerivedQuery, of follower: Follower) async throws(ListError) {
        guard following === follower, case .list(let base, let present) = options.source, !isEnding else {
            throw .gone(name)
        }
        guard argument != present else { return }
        var new = options
        new.source = .list(base, argument: argument)
        try await store(as: new)
        if let error = await follow(query, by: follower) {
            if let present = try? DerivedQuery(parsing: present) { follower.setQuery(present) { _ in } }
            await takeBack(new)
            throw error
        }
        adopt(new, access: access)
        propertiesChanged(["Source", "Options"])
    }

    private func follow(_ query: DerivedQuery, by follower: Follower) async -> ListError? {
        await withCheckedContinuation { continuation in
            follower.setQuery(query) { continuation.resume(returning: $0) }
        }
    }

    // MARK: Followed

    func readPage(
        from offset: Int, limit: Int, byteLimit: Int,
        _ completion: @escaping @DBusActor (_ total: Int, _ objects: [ListObject]) -> Void
    ) {
        request(isLong: true) { outcome in
            // A list that ends says that it is gone.
            if case .success(.objects(_, let total, let objects)) = outcome { completion(total, objects) }
        } _: { id in
            .query(id, .objects(offset: offset, limit: limit, byteLimit: byteLimit))
        }
    }

    // MARK: Filled by a follower

    var hasFailed: Bool { state == .failed }

    func beginLoading() { changeFilling { $0.enter(.loading) } }

    /// Says why the list is not filled any more.
    func fail(_ error: ListError) { sourceFailed(error) }

    /// Takes all objects out of the list.
    func empty(_ completion: @escaping @DBusActor (ListError?) -> Void) {
        request { outcome in
            if case .failure(let error) = outcome { completion(error) } else { completion(nil) }
        } _: { id in
            .update(UpdateRequest(id: id, operation: .performUpdates(objects: [])))
        }
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

extension Service {
    /// Looks who may read each list: groups of users may be others.
    func checkReaders() {
        authority.forgetGroups()
        for adapter in adapters.all { adapter.readersChanged() }
        adapters.followers.lookAgain()
    }

    /// Refuses a list that follows another one to those who may not read that, and one that would follow itself.
    ///
    /// - Throws: `noSuchAdapter`, `accessDenied`.
    func checkFollowing(_ base: String, by caller: Caller) throws(ListError) {
        guard try adapters.existing(base).allowsReading(caller) else {
            throw ListError(.accessDenied, "user \(caller.user) may not read adapter \(base.quoted)")
        }
    }

    /// Refuses a list that would follow itself.
    func checkCircle(
        _ name: String, _ source: SourceName, configured: [(name: String, base: String)] = []
    ) throws(ListError) {
        guard case .list(let base, _) = source,
            adapters.followers.closesCircle(name, following: base, configured: configured)
        else { return }
        throw ListError(.invalidArguments, "source: \(name.quoted) would follow itself, by way of \(base.quoted)")
    }
}
