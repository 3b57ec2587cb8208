// SPDX-License-Identifier: Apache-2.0

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
