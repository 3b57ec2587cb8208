// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListSources
internal import PluginAPI

/// The source of one list, and what it has sent that the list does not have.
@DBusActor
final class AdapterSource {
    /// What it has sent that the list does not have, and how far it has read.
    let intake: SourceIntake
    private var source: (any Source)?
    private var feed: SourceFeed?

    init(_ intake: SourceIntake) { self.intake = intake }

    /// What follows another list to fill this one.
    var follower: Follower? { source as? Follower }

    /// The source, if clients' writes go there.
    var writable: (any Source)? { source?.acceptsWrites == true ? source : nil }

    /// The hints for fields of the source, or of the list that it follows.
    var hints: [String: FieldHint] { follower?.baseHints ?? source?.hints ?? [:] }

    /// Replaces the source, which has ended; ``start()`` starts the new one.
    func set(_ new: (any Source)?, _ feed: SourceFeed) { (source, self.feed) = (new, feed) }

    /// Starts the source.
    func start() {
        source?.start { [sourceState = intake.sourceState] in sourceState.cursor }
    }

    /// Ends the source, if there is one.
    func end() {
        feed?.close()
        source?.stop {}
        intake.sourceEnded()
    }

    /// Retries refused events at once: there may be room.
    func retry() {
        feed?.retry()
        follower?.retryNow()
    }

    /// Applies other limits to what the source reads.
    ///
    /// - Parameter lacksObjects: whether the list lacks something, so that the source begins anew.
    func setLimits(_ limits: BulkReader.Limits, lacksObjects: Bool) {
        source?.setLimits(limits.objects, fileBytes: limits.fileBytes)
        guard lacksObjects else { return }
        intake.sourceEnded()
        source?.renew()
    }
}
