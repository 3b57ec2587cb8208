// SPDX-License-Identifier: Apache-2.0

// For a program without a host: completions instead of answers, and a scheduler that flushes.

extension ListAdapter {
    /// Makes a list for the object that owns it and provides its section controllers.
    ///
    /// The adapter does not keep `owner` alive, as IGListKit does not keep its data source alive: both are freed together.
    /// ``ListSectionControllerKind/make`` is kept, so it has to capture the owner weakly. When the owner is gone, objects of types
    /// that it was not asked about are dropped.
    ///
    ///     lazy var adapter = ListAdapter(configuration: .init(name: "mail"), ownedBy: self)
    ///
    /// - Parameters:
    ///   - owner: provides the section controllers.
    ///   - objects: the stored objects of the list; repeated identifiers are dropped.
    ///   - revision: the revision of these objects.
    public convenience init(
        configuration: Configuration, ownedBy owner: any ListSectionControllerProvider, objects: [ListObject] = [],
        revision: UInt64 = 0
    ) {
        self.init(
            configuration: configuration, controllers: OwningProvider(owner), objects: objects, revision: revision)
    }

    /// Replaces the list by the data source's objects, which are asked for with the next flush.
    ///
    /// Until that flush the data source is kept alive.
    ///
    /// - Parameter completion: receives whether the update was applied; false at once without a data source.
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

    /// Replaces all section controllers, and the list by the data source's objects if there is one.
    ///
    /// - Parameter completion: receives whether the reload was done.
    public func reloadData(completion: ((Bool) -> Void)? = nil) {
        if let dataSource { enqueue(dataSource, animated: true) { _ in } }
        enqueue(animated: false, .reloadData, completion ?? { _ in })
    }

    /// Reloads the sections of some objects; unknown ones are ignored.
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

    /// Replaces all section controllers.
    ///
    /// - Returns: whether the reload was done.
    public func reloadData() async -> Bool {
        await withCheckedContinuation { continuation in
            reloadData { continuation.resume(returning: $0) }
        }
    }
}

/// Passes questions on to the owner of an adapter, without keeping it alive.
private final class OwningProvider: ListSectionControllerProvider {
    private weak var owner: (any ListSectionControllerProvider)?

    init(_ owner: any ListSectionControllerProvider) { self.owner = owner }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        owner?.sectionControllerKind(forType: type)
    }
}
