// SPDX-License-Identifier: Apache-2.0

/// Observes which objects of a list appear and disappear, counted over all views.
///
/// The events of an item come before those of its section, and appearances before disappearances. Disappearances have the
/// last path and the object that was shown, even if it has left the list (rules DH-11, DH-12).
public protocol ListAdapterDelegate: AnyObject {
    /// The first element of an object's section is about to be shown.
    func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, at section: Int)
    /// The last element of an object's section has disappeared.
    func adapter(_ adapter: ListAdapter, didEndDisplaying object: ListObject, at section: Int)
    /// An item is about to be shown.
    func adapter(_ adapter: ListAdapter, willDisplay object: ListObject, itemAt path: IndexPath)
    /// An item has disappeared.
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

/// Passes the display events of many adapters on to listeners, which are held weakly.
///
/// All adapters and listeners of one announcer belong to one executor.
public final class ListAdapterAnnouncer {
    private var listeners = WeakList<any ListAdapterDelegate>()

    /// Makes an announcer without listeners.
    public init() {}

    /// Adds a listener for every event.
    public func addListener(_ listener: any ListAdapterDelegate) { listeners.add(listener) }

    /// Removes a listener.
    public func removeListener(_ listener: any ListAdapterDelegate) { listeners.remove(listener) }

    /// The present listeners, so that one may be removed while they are called (rule AN-05).
    var present: [any ListAdapterDelegate] { listeners.elements }
}
