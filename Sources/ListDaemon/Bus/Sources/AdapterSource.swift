// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListSources
internal import PluginAPI

/// The source of one list, and the state of what it has sent.
@DBusActor
final class AdapterSource {
    /// The source's events that are not applied to the list yet, and how far the source has read.
    let intake: SourceIntake
    private var source: (any Source)?
    private var feed: SourceFeed?

    init(_ intake: SourceIntake) { self.intake = intake }

    /// The source as a follower, if the list follows another one.
    var follower: Follower? { source as? Follower }

    /// The source, if it accepts clients' writes.
    var writable: (any Source)? { source?.acceptsWrites == true ? source : nil }

    /// The display hints of the source, or of the followed list.
    var hints: [String: FieldHint] { follower?.baseHints ?? source?.hints ?? [:] }

    /// Replaces the source, which has ended; ``start()`` starts the new one.
    func setSource(_ new: (any Source)?, feed: SourceFeed) { (source, self.feed) = (new, feed) }

    /// Starts the source.
    func start() {
        source?.start { [sourceState = intake.sourceState] in sourceState.cursor }
    }

    /// Stops the source, if there is one.
    func end() {
        feed?.close()
        source?.stop {}
        intake.handleSourceEnd()
    }

    /// Retries refused events at once, because limits or the disk may have room now.
    func retry() {
        feed?.retry()
        follower?.retryNow()
    }

    /// Applies changed limits to what the source reads.
    ///
    /// - Parameter lacksObjects: whether the list lacks objects of the source, which then starts again from the
    ///   beginning.
    func setLimits(_ limits: BulkReader.Limits, lacksObjects: Bool) {
        source?.setLimits(limits.objects, fileBytes: limits.fileBytes)
        guard lacksObjects else { return }
        intake.handleSourceEnd()
        source?.renew()
    }
}
