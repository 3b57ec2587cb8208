// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListSources
internal import ListWorkers

/// The parts of a list, which are not running yet. They are made before an existing list changes, so that no error can
/// occur after the change.
@DBusActor
struct AdapterParts {
    let controllers: SectionControllerTable
    /// The source; nil for `push`.
    let source: (any Source)?
    let relays: AdapterRelays

    /// Closes parts that no list will use.
    func discard() {
        relays.feed.close()
        source?.stop {}
    }
}

/// The relays to an adapter, which exist before it.
@DBusActor
struct AdapterRelays {
    /// The relay from the host and the source.
    let adapter = AdapterRelay()
    /// The feed from the source, which passes on one event at a time.
    let feed: SourceFeed

    init() {
        let relay = adapter
        feed = SourceFeed { event, completion in relay.apply(event, completion) }
    }
}
