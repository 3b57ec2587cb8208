// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListSources
internal import ListWorkers

/// What a list is made of and what can be wrong with it: made before anything that is there changes, and not running yet.
@DBusActor
struct AdapterParts {
    let controllers: SectionControllerTable
    /// Nil for `push`.
    let source: (any Source)?
    let ways: AdapterWays

    /// Gives up what no list will have.
    func discard() {
        ways.feed.close()
        source?.stop {}
    }
}

/// The ways to an adapter that are there before it.
@DBusActor
struct AdapterWays {
    /// From its host and its source.
    let relay = AdapterRelay()
    /// From its source, one event at a time.
    let feed: SourceFeed

    init() {
        let relay = relay
        feed = SourceFeed { event, completion in relay.apply(event, completion) }
    }
}
