// SPDX-License-Identifier: Apache-2.0

/// A section controller for one item, which two closures describe.
public final class ListSingleSectionController: ListSectionController {
    /// The object of the section.
    public private(set) var object: ListObject?
    /// Observes when the item is selected and deselected.
    public weak var selectionDelegate: (any ListSingleSelectionDelegate)?

    private let configure: (ListObject) -> ListItem
    private let size: (ListObject, ListCollectionContext) -> Size

    /// Makes a controller.
    ///
    /// - Parameters:
    ///   - size: returns the item's size in points.
    ///   - configure: returns the item. The closure runs each time that the item is needed.
    public init(
        size: @escaping (ListObject, ListCollectionContext) -> Size, configure: @escaping (ListObject) -> ListItem
    ) {
        self.configure = configure
        self.size = size
    }

    public override func didUpdate(to object: ListObject) { self.object = object }

    public override func item(at index: Int) -> ListItem {
        guard let object else { return .fault("the section has no object yet") }
        return configure(object)
    }

    public override func sizeForItem(at index: Int) -> Size {
        guard let object, let context else { return .zero }
        return size(object, context)
    }

    public override func didSelectItem(at index: Int) {
        if let object { selectionDelegate?.sectionController(self, didSelect: object) }
    }

    public override func didDeselectItem(at index: Int) {
        if let object { selectionDelegate?.sectionController(self, didDeselect: object) }
    }
}

/// Observes the selection of a single section controller's item.
public protocol ListSingleSelectionDelegate: AnyObject {
    /// Called when the item was selected.
    func sectionController(_ controller: ListSingleSectionController, didSelect object: ListObject)
    /// Called when the item was deselected. The default implementation does nothing (rule SG-07).
    func sectionController(_ controller: ListSingleSectionController, didDeselect object: ListObject)
}

extension ListSingleSelectionDelegate {
    /// The default implementation does nothing.
    public func sectionController(_ controller: ListSingleSectionController, didDeselect object: ListObject) {}
}

/// A section controller that stores its object as a Swift value (rule GN-01).
open class ListGenericSectionController<Model: ListModel>: ListSectionController {
    /// The decoded object of the section; `nil` before the first update, and when the object could not be decoded.
    public private(set) final var model: Model?

    /// Decodes the object and stores it in ``model``. An override must call `super`.
    ///
    /// An object that cannot be decoded is a fault of the section; the process is not affected.
    open override func didUpdate(to object: ListObject) {
        do throws(ListError) {
            model = try Model(object)
        } catch {
            model = nil
            context?.reportFault("\(Model.self) cannot decode the object: \(error.message)")
        }
    }
}

/// A section controller that receives its object as a Swift value.
open class ListValueSectionController<Value: ListModel>: ListSectionController {
    /// Called when the section receives its first value, and after each change of the value.
    open func didUpdate(to value: Value) {}

    /// Decodes the object and passes the value to `didUpdate(to:)` for values. An object that cannot be decoded is a
    /// fault of the section.
    public final override func didUpdate(to object: ListObject) {
        do throws(ListError) {
            didUpdate(to: try Value(object))
        } catch {
            context?.reportFault("\(Value.self) cannot decode the object: \(error.message)")
        }
    }
}
