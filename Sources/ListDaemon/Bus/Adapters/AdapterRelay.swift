// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The weak link from a host to its adapter: it exists before the adapter, and does not retain it.
@DBusActor
final class AdapterRelay {
    private(set) weak var target: AdapterObject?

    nonisolated init() {}

    /// Sets the adapter, as soon as it exists.
    func setTarget(_ adapter: AdapterObject) { target = adapter }

    /// The sink of a host, which passes its effects to the adapter.
    var sink: ListHost.Sink { { effects in self.target?.receive(effects) } }
}
