// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import PluginAPI

/// A list that may follow another one, or be followed, as following sees it.
@DBusActor
protocol FollowableList: AnyObject {
    /// The name, as it was given.
    var name: String { get }
    /// Who may do what.
    var access: AdapterAccess { get }
    /// Whether not everybody may read it.
    var isRestricted: Bool { get }
    /// How people want to see its fields.
    var hints: [String: FieldHint] { get }

    // MARK: As the one that is followed

    /// Whether `caller` may read it.
    func allowsReading(_ caller: Caller) -> Bool

    /// Asks it for objects from an offset on, on behalf of nobody; an answer that is no page is not one.
    func readPage(
        from offset: Int, limit: Int, byteLimit: Int,
        _ completion: @escaping @DBusActor (_ total: Int, _ objects: [ListObject]) -> Void)

    /// Has what becomes of its objects told to its followers, or no more.
    func setFollowed(_ flag: Bool)

    // MARK: As the one that follows

    /// Whether it has failed, so that it takes no changes.
    var hasFailed: Bool { get }

    /// Whether the user that created it may read another list.
    func ownerMayRead(_ other: any FollowableList) -> Bool

    /// It is being filled.
    func beginLoading()

    /// Says why it is not filled any more.
    func fail(_ error: ListError)

    /// Takes all objects out of it.
    func empty(_ completion: @escaping @DBusActor (ListError?) -> Void)

    /// Runs what may change the hints of its source; if it did, whoever sees them is told.
    func changeHints(_ change: () -> Void)

    /// Tells those who see its hints that they are others.
    func hintsChanged()

    /// Others may read it now.
    func readersChanged()
}

/// The relay from a follower to the list that it fills: it is there before the list, and does not keep it alive.
@DBusActor
protocol FollowingRelay: AnyObject, Sendable {
    /// The list that follows; nil before it is there, and when it is gone.
    var list: (any FollowableList)? { get }

    /// Tells the list what becomes of its objects; without a list nobody wants it.
    func apply(_ event: SourceEvent, _ completion: @escaping @DBusActor (ListError?) -> Void)
}
