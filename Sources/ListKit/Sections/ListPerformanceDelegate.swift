// SPDX-License-Identifier: Apache-2.0

/// Is told before and after each call of a section controller: for statistics, and for naming the one that never came back.
public protocol ListPerformanceDelegate: AnyObject {
    /// A section controller is about to be called.
    func adapter(_ adapter: ListAdapter, willCall call: ListControllerCall)
    /// The call is over.
    func adapter(_ adapter: ListAdapter, didCall call: ListControllerCall)
}

/// One call of a section controller.
public struct ListControllerCall {
    /// What is called.
    @frozen public enum Callback: String, Sendable, Hashable, CaseIterable {
        /// The controller is made.
        case make
        /// `didUpdate(to:)`.
        case update
        /// `numberOfItems()`.
        case count
        /// `sizeForItem(at:)` and what else a layout needs.
        case size
        /// `item(at:)` and supplementary elements.
        case item
        /// A display delegate: will display.
        case display
        /// A display delegate: did end displaying.
        case endDisplay
        /// A working range delegate.
        case workingRange
        /// Selection and highlight.
        case selection
        /// `handleAction(_:parameters:at:)`.
        case action
        /// Reordering.
        case move
        /// A scroll delegate.
        case scroll
        /// The block of an item update.
        case batch
    }

    /// What is called.
    public let callback: Callback
    let handle: SectionHandle
    private let adapter: ListAdapter

    init(_ callback: Callback, _ handle: SectionHandle, in adapter: ListAdapter) {
        self.callback = callback
        self.handle = handle
        self.adapter = adapter
    }

    /// The object of the section; empty when it has left the list.
    public var objectID: String { adapter.id(of: handle) }

    /// The name of the section controller.
    public var controllerName: String {
        let object = adapter.sections.object(of: handle) ?? adapter.sections.oldObject(of: handle)
        return object.flatMap { adapter.registry.knownKind(for: $0.objectType) }??.name ?? ""
    }
}

extension ListAdapter {
    /// Calls a section controller: everything that it does meanwhile comes from inside of a callback.
    func call<Result>(
        _ callback: ListControllerCall.Callback, _ handle: SectionHandle, _ body: () -> Result
    ) -> Result {
        depth += 1
        defer { depth -= 1 }
        guard let performanceDelegate else { return body() }
        let call = ListControllerCall(callback, handle, in: self)
        performanceDelegate.adapter(self, willCall: call)
        defer { performanceDelegate.adapter(self, didCall: call) }
        return body()
    }
}
