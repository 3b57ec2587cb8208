// SPDX-License-Identifier: Apache-2.0

/// An observer of the objects that appear and disappear, where all views of a list count together.
///
/// Calls for an item come before calls for its section, and appearances come before disappearances. A disappearance
/// has the last path and the object that was shown, even if the object is no longer in the list (rules DH-11,
/// DH-12).
public protocol ListAdapterDelegate: AnyObject {
    /// Called before the first element of an object's section is shown.
    func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, at section: Int)
    /// Called after the last element of an object's section has disappeared.
    func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, at section: Int)
    /// Called before an item is shown.
    func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, itemAt path: IndexPath)
    /// Called after an item has disappeared.
    func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, itemAt path: IndexPath)
}

extension ListAdapterDelegate {
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, at section: Int) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, at section: Int) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, itemAt path: IndexPath) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, itemAt path: IndexPath) {}
}

/// An announcer that forwards the display events of several adapters to its listeners. It holds the listeners weakly.
///
/// All adapters and listeners of one announcer belong to one executor.
public final class ListAdapterAnnouncer {
    private var listeners = WeakList<any ListAdapterDelegate>()

    /// Creates an announcer without listeners.
    public init() {}

    /// Adds a listener for all display events.
    public func addListener(_ listener: any ListAdapterDelegate) { listeners.add(listener) }

    /// Removes a listener for display events.
    public func removeListener(_ listener: any ListAdapterDelegate) { listeners.remove(listener) }

    /// A copy of the current listeners, so that a listener may be removed while the others are called (rule AN-05).
    var currentListeners: [any ListAdapterDelegate] { listeners.elements }
}
