// SPDX-License-Identifier: Apache-2.0

/// A data source of Swift values that also makes their section controllers, as IGListKit's data source does.
///
///     func objects(for adapter: ListAdapter) -> [any ListModel] { ["Foo", 42, person] }
///
///     func adapter(
///         _ adapter: ListAdapter, sectionControllerFor object: any ListModel, context: ListCollectionContext
///     ) -> ListSectionController {
///         object is String ? LabelSectionController() : NumberSectionController()
///     }
///
/// The list stores objects, not the values: a section controller receives the object of its value
/// (``ListGenericSectionController``, ``ListValueSectionController``).
public protocol ListModelDataSource: AnyObject {
    /// Returns all values of the list, in order. They may have different types, each with a ``ListModel/listType`` of
    /// its own.
    func objects(for adapter: ListAdapter) -> [any ListModel]

    /// Makes the section controller of a value.
    ///
    /// - Parameter context: the list as the controller will see it, for the controller's initialiser.
    func adapter(
        _ adapter: ListAdapter, sectionControllerFor object: any ListModel, context: ListCollectionContext
    ) -> ListSectionController
}

extension ListAdapter {
    /// Creates a list of Swift values. The first flush asks the data source for them.
    ///
    /// The adapter holds the data source weakly. If a value cannot be an object, the update fails, its completion gets
    /// `false`, and ``ListUpdaterDelegate/adapter(_:didFindFault:)-(_,SectionFault)`` the reason.
    public convenience init(
        configuration: ListOptions = ListOptions(), updater: (any ListUpdating)? = nil,
        dataSource: any ListModelDataSource
    ) {
        let models = ListModels(dataSource)
        self.init(configuration: configuration, updater: updater, controllers: models)
        models.attach(to: self)
    }

    /// Replaces the list by the given values, which may have different types: `["Foo", 42, person]`.
    ///
    /// - Parameter completion: receives whether the update was applied.
    /// - Throws: `invalidObject` or `payloadTooLarge` for the first value that cannot be an object. The list is then
    ///   unchanged, and the completion is not called.
    @_disfavoredOverload  // An empty array is an array of objects.
    public func performUpdates(
        _ models: [any ListModel], animated: Bool = true, completion: ((Bool) -> Void)? = nil
    ) throws(ListError) {
        (dataSource as? ListModels)?.learnTypes(of: models)
        performUpdates(try models.listObjects(), animated: animated, completion: completion)
    }
}

/// The values of a data source as objects, and the section controllers of these objects.
final class ListModels: ListAdapterDataSource, ListSectionControllerProvider {
    private weak var adapter: ListAdapter?
    private weak var source: (any ListModelDataSource)?
    /// The types of the values that the list has had, by their names.
    private var types: [String: any ListModel.Type] = [:]

    init(_ source: any ListModelDataSource) { self.source = source }

    /// Becomes the data source of a list.
    func attach(to new: ListAdapter) {
        adapter = new
        new.replaceDataSource(self)
    }

    /// Records the types of values, so that their objects can be decoded.
    func learnTypes(of models: [any ListModel]) {
        for model in models {
            let type = type(of: model)
            types[type.listType] = type
        }
    }

    /// Returns the objects of the present values, or why they cannot be objects. Without a data source the list stays as
    /// it is.
    func operation(for adapter: ListAdapter) -> UpdateRequest.Operation {
        guard let source else { return .applyChanges(removed: [], upserts: []) }
        let models = source.objects(for: adapter)
        learnTypes(of: models)
        do throws(ListError) {
            return .performUpdates(objects: try models.listObjects())
        } catch {
            return .invalid(error)
        }
    }

    func objects(for adapter: ListAdapter) -> [ListObject] {
        guard case .performUpdates(let objects, _) = operation(for: adapter) else { return [] }
        return objects
    }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        ListSectionControllerKind(name: type) { [weak self] object, context in
            do throws(ListError) {
                if let controller = try self?.makeController(for: object, context) { return controller }
                context.reportFault("the data source of the list was released")
            } catch {
                context.reportFault("the object cannot be decoded: \(error.message)")
            }
            return ListSectionController()
        }
    }

    private func makeController(
        for object: ListObject, _ context: ListCollectionContext
    ) throws(ListError) -> ListSectionController? {
        guard let type = types[object.type] else {
            throw ListError(.invalidObject, "the list has had no value of the type \(object.type.quoted)")
        }
        guard let adapter, let source else { return nil }
        return source.adapter(adapter, sectionControllerFor: try type.init(object), context: context)
    }
}
