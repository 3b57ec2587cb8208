// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListSupport
internal import ListWorkers
internal import PluginAPI

extension AdapterObject: FollowableList {
    // MARK: Who may read

    /// Whether the list is restricted, by its own rule or by that of a list that it follows.
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
    var hints: [String: FieldHint] { source.hints.merging(options.hints) { _, own in own } }

    /// Runs a change that may affect the hints of its source; if they change, notifies clients and the lists that
    /// follow this one.
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

    // MARK: Followed

    func readPage(
        from offset: Int, limit: Int, byteLimit: Int,
        _ completion: @escaping @DBusActor (_ total: Int, _ objects: [ListObject]) -> Void
    ) {
        request(isLong: true) { outcome in
            // A list that ends fails with that reason.
            if case .success(.objects(_, let total, let objects)) = outcome { completion(total, objects) }
        } _: { id in
            .query(id, .objects(offset: offset, limit: limit, byteLimit: byteLimit))
        }
    }

    // MARK: Filled by a follower

    var hasFailed: Bool { state == .failed }

    func beginLoading() { changeFilling { $0.enter(.loading) } }

    /// Says why the list is not filled any more.
    func fail(_ error: ListError) { SourceEvents(adapter: self).fail(error) }

    /// Takes all objects out of the list.
    func empty(_ completion: @escaping @DBusActor (ListError?) -> Void) {
        request { outcome in
            if case .failure(let error) = outcome { completion(error) } else { completion(nil) }
        } _: { id in
            .update(UpdateRequest(id: id, operation: .performUpdates(objects: [])))
        }
    }
}
