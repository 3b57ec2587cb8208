// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListSources

/// The weak link from a host and a source to their adapter: it exists before the adapter, and does not retain it.
@DBusActor
final class AdapterRelay: FollowingRelay {
    private(set) weak var target: AdapterObject?

    nonisolated init() {}

    /// Sets the adapter, as soon as it exists.
    func setTarget(_ adapter: AdapterObject) { target = adapter }

    var list: (any FollowableList)? { target }

    /// The sink of a host, which passes its effects to the adapter.
    var sink: ListHost.Sink { { effects in self.target?.receive(effects) } }

    /// Passes an event of a source on to the adapter; without an adapter, the event is dropped.
    func apply(_ event: SourceEvent, _ completion: @escaping @DBusActor (ListError?) -> Void) {
        guard let target else { return completion(nil) }
        target.apply(event, completion)
    }
}
