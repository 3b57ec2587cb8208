// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListSources

/// The way from a host and a source to their adapter: both are there before it, and neither keeps it alive.
@DBusActor
final class AdapterRelay: FollowingRelay {
    private(set) weak var target: AdapterObject?

    nonisolated init() {}

    /// Names the adapter, as soon as it is there.
    func setTarget(_ adapter: AdapterObject) { target = adapter }

    var list: (any FollowableList)? { target }

    /// Takes what a host yields, from its executor.
    nonisolated var sink: ListHost.Sink {
        { effects in EventLoop.shared.post { self.target?.receive(effects) } }
    }

    /// Takes what a source tells; without an adapter nobody wants it.
    func apply(_ event: SourceEvent, _ completion: @escaping @DBusActor (ListError?) -> Void) {
        guard let target else { return completion(nil) }
        SourceEvents(adapter: target).apply(event, completion)
    }
}
