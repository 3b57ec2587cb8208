// SPDX-License-Identifier: Apache-2.0

// The interface for programs without a host: requests have completions instead of answers, and a scheduler runs the
// flushes.

extension ListAdapter {
    /// Creates a list for an object that owns the list and also provides the section controllers.
    ///
    /// The adapter holds `owner` weakly, as IGListKit holds its data source, so that both are released together.
    /// ``ListSectionControllerKind/make`` is held strongly and must capture the owner weakly. After the owner was
    /// released, the adapter drops objects of every type whose kind it has not yet requested from the owner.
    ///
    ///     lazy var adapter = ListAdapter(configuration: .init(name: "mail"), ownedBy: self)
    ///
    /// - Parameters:
    ///   - updater: the updater; see ``init(configuration:updater:controllers:objects:revision:)``.
    ///   - owner: the provider of the section controllers.
    ///   - objects: the stored objects of the list. Of objects with equal identifiers, the first one is kept.
    ///   - revision: the revision of these objects.
    public convenience init(
        configuration: ListOptions = ListOptions(), updater: (any ListUpdating)? = nil,
        ownedBy owner: any ListSectionControllerProvider, objects: [ListObject] = [], revision: UInt64 = 0
    ) {
        self.init(
            configuration: configuration, updater: updater, controllers: OwningProvider(owner), objects: objects,
            revision: revision)
    }

    /// Replaces the list by the objects that the data source has when the next flush begins.
    ///
    /// The data source is held strongly until then.
    ///
    /// - Parameter completion: receives whether the update was applied. If there is no data source, it is called with
    ///   `false` before this function returns.
    public func performUpdates(animated: Bool = true, completion: ((Bool) -> Void)? = nil) {
        guard let dataSource else {
            completion?(false)
            return
        }
        enqueue(dataSource, animated: animated, completion ?? { _ in })
    }

    /// Replaces the list by the given objects.
    ///
    /// - Parameter completion: receives whether the update was applied.
    public func performUpdates(_ objects: [ListObject], animated: Bool = true, completion: ((Bool) -> Void)? = nil) {
        enqueue(animated: animated, .performUpdates(objects: objects), completion ?? { _ in })
    }

    /// Replaces all section controllers. If there is a data source, replaces the list by its objects first.
    ///
    /// - Parameter completion: receives whether the reload was done.
    public func reloadData(completion: ((Bool) -> Void)? = nil) {
        if let dataSource { enqueue(dataSource, animated: true) { _ in } }
        enqueue(animated: false, .reloadData, completion ?? { _ in })
    }

    /// Reloads the sections of the objects with the given identifiers. Unknown identifiers are ignored.
    public func reloadObjects(_ ids: [String], completion: ((Bool) -> Void)? = nil) {
        enqueue(animated: true, .reloadObjects(ids), completion ?? { _ in })
    }

    /// Replaces the list by the data source's objects.
    ///
    /// - Returns: whether the update was applied.
    public func performUpdates(animated: Bool = true) async -> Bool {
        await withCheckedContinuation { continuation in
            performUpdates(animated: animated) { continuation.resume(returning: $0) }
        }
    }

    /// Replaces all section controllers, and the list, as ``reloadData(completion:)`` does.
    ///
    /// - Returns: whether the reload was done.
    public func reloadData() async -> Bool {
        await withCheckedContinuation { continuation in
            reloadData { continuation.resume(returning: $0) }
        }
    }
}

/// A provider that forwards to the owner of an adapter and holds the owner weakly.
private final class OwningProvider: ListSectionControllerProvider {
    private weak var owner: (any ListSectionControllerProvider)?

    init(_ owner: any ListSectionControllerProvider) { self.owner = owner }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        owner?.sectionControllerKind(forType: type)
    }
}
