// SPDX-License-Identifier: Apache-2.0

/// A section controller that keeps its object as a Swift value (rule GN-01).
open class ListGenericSectionController<Model: ListModel>: ListSectionController {
    /// The value of the section; `nil` before the first update, and when the object could not be read.
    public private(set) final var model: Model?

    /// Reads the object; an override must call this one.
    ///
    /// An object that cannot be read is a fault of the section, not of the process.
    open override func didUpdate(to object: ListObject) {
        do throws(ListError) {
            model = try Model(object)
        } catch {
            model = nil
            context?.reportFault("\(Model.self) cannot read the object: \(error.message)")
        }
    }
}

/// A section controller that receives Swift values.
open class ListValueSectionController<Value: ListModel>: ListSectionController {
    /// The section's value is new, or has changed.
    open func didUpdate(to value: Value) {}

    /// Reads the object and passes on its value; an object that cannot be read is a fault of the section.
    public final override func didUpdate(to object: ListObject) {
        do throws(ListError) {
            didUpdate(to: try Value(object))
        } catch {
            context?.reportFault("\(Value.self) cannot read the object: \(error.message)")
        }
    }
}
