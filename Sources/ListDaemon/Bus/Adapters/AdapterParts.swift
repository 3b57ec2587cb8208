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
    /// The way of the source's events, which passes on one at a time.
    let feed: SourceFeed

    /// Closes parts that no list will use.
    func discard() {
        feed.close()
        source?.stop {}
    }
}
