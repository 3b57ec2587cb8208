// SPDX-License-Identifier: Apache-2.0

// The short road for a program without a host: completions instead of answers, and a scheduler that flushes.

extension ListAdapter {
    /// Makes a list for the object that owns it and provides its section controllers.
    ///
    /// The adapter does not keep `owner` alive, as IGListKit does not keep its data source alive: both are
    /// freed together. Makers (``ListSectionControllerKind/make``) are kept, so they capture the owner weakly. When the
    /// owner is gone, objects of types that it was not asked about are dropped.
    ///
    ///     lazy var adapter = ListAdapter(configuration: .init(name: "mail"), ownedBy: self)
    ///
    /// - Parameters:
    ///   - owner: provides the section controllers.
    ///   - objects: what the list begins with, as it was stored; repeated identifiers are dropped.
    ///   - revision: the revision that these objects are.
    public convenience init(
        configuration: Configuration, ownedBy owner: any ListSectionControllerProvider, objects: [ListObject] = [],
        revision: UInt64 = 0
    ) {
        self.init(
            configuration: configuration, controllers: OwningProvider(owner), objects: objects, revision: revision)
    }

    /// Asks the data source for its objects with the next flush and brings the list there.
    ///
    /// Until that flush the data source is kept alive.
    ///
    /// - Parameter completion: gets whether the update was applied; at once, with false, when there is no data source.
    public func performUpdates(animated: Bool = true, completion: ((Bool) -> Void)? = nil) {
        guard let dataSource else {
            completion?(false)
            return
        }
        enqueue(dataSource, animated: animated, completion ?? { _ in })
    }

    /// Brings the list to the given objects.
    ///
    /// - Parameter completion: gets whether the update was applied.
    public func performUpdates(_ objects: [ListObject], animated: Bool = true, completion: ((Bool) -> Void)? = nil) {
        enqueue(animated: animated, .performUpdates(objects: objects), completion ?? { _ in })
    }

    /// Makes all section controllers anew, over the data source's objects if there is one.
    ///
    /// - Parameter completion: gets whether it was done.
    public func reloadData(completion: ((Bool) -> Void)? = nil) {
        if let dataSource { enqueue(dataSource, animated: true) { _ in } }
        enqueue(animated: false, .reloadData, completion ?? { _ in })
    }

    /// Builds the sections of some objects anew; unknown ones are ignored.
    public func reloadObjects(_ ids: [String], completion: ((Bool) -> Void)? = nil) {
        enqueue(animated: true, .reloadObjects(ids), completion ?? { _ in })
    }

    /// Brings the list to the data source's objects.
    ///
    /// - Returns: whether the update was applied.
    public func performUpdates(animated: Bool = true) async -> Bool {
        await withCheckedContinuation { continuation in
            performUpdates(animated: animated) { continuation.resume(returning: $0) }
        }
    }

    /// Makes all section controllers anew.
    ///
    /// - Returns: whether it was done.
    public func reloadData() async -> Bool {
        await withCheckedContinuation { continuation in
            reloadData { continuation.resume(returning: $0) }
        }
    }
}

/// Asks the object that owns the adapter, without keeping it alive.
private final class OwningProvider: ListSectionControllerProvider {
    private weak var owner: (any ListSectionControllerProvider)?

    init(_ owner: any ListSectionControllerProvider) { self.owner = owner }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        owner?.sectionControllerKind(forType: type)
    }
}
