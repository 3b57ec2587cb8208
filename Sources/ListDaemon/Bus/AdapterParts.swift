// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListSources
internal import ListWorkers

/// The parts of a list and their errors: made before anything existing changes, and not running yet.
@DBusActor
struct AdapterParts {
    let controllers: SectionControllerTable
    /// Nil for `push`.
    let source: (any Source)?
    let relays: AdapterRelays

    /// Gives up what no list will have.
    func discard() {
        relays.feed.close()
        source?.stop {}
    }
}

/// The relays to an adapter that are there before it.
@DBusActor
struct AdapterRelays {
    /// From its host and its source.
    let adapter = AdapterRelay()
    /// From its source, one event at a time.
    let feed: SourceFeed

    init() {
        let relay = adapter
        feed = SourceFeed { event, completion in relay.apply(event, completion) }
    }
}
