// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import PluginAPI

/// A list that can follow another list and can be followed, as the code for following sees it.
@DBusActor
protocol FollowableList: AnyObject {
    /// The name of the list, byte for byte as the client or the file gave it.
    var name: String { get }
    /// The access rules of the list.
    var access: AdapterAccess { get }
    /// Whether the access rules exclude some users from reading the list.
    var isRestricted: Bool { get }
    /// The hints for displaying the list's fields.
    var hints: [String: FieldHint] { get }

    // MARK: The list as the followed one

    /// Returns whether `caller` may read the list.
    func allowsReading(_ caller: Caller) -> Bool

    /// Reads objects from an offset on, without a caller whose rights are checked. If the answer is not a page,
    /// `completion` is not called.
    func readPage(
        from offset: Int, limit: Int, byteLimit: Int,
        _ completion: @escaping @DBusActor (_ total: Int, _ objects: [ListObject]) -> Void)

    /// Turns on or off the reporting of object changes to the followers.
    func setFollowed(_ isFollowed: Bool)

    // MARK: The list as the follower

    /// Whether the list has failed, so that it applies no changes.
    var hasFailed: Bool { get }

    /// Returns whether the user that created this list may read another one.
    func ownerMayRead(_ list: any FollowableList) -> Bool

    /// Marks the list as being loaded.
    func beginLoading()

    /// Records the error because of which the list is not filled any more.
    func fail(_ error: ListError)

    /// Removes all objects from the list.
    func removeAllObjects(_ completion: @escaping @DBusActor (ListError?) -> Void)

    /// Runs a closure that may change the hints of the list's source, and announces changed hints to the clients that
    /// read them.
    func changeHints(_ change: () -> Void)

    /// Announces to clients that the hints of the list have changed.
    func announceHintsChange()

    /// Ends the subscriptions and views of clients that may no longer read the list, and notifies its followers. Call
    /// this when the set of users who may read the list may have changed.
    func updateReaders()
}

/// The weak link from a follower to the list that it fills. It exists before the list does, and does not retain it.
@DBusActor
protocol FollowingRelay: AnyObject, Sendable {
    /// The list that follows; nil before it is created and after it is removed.
    var list: (any FollowableList)? { get }

    /// Passes a change of objects on to the list; without a list, the change is dropped.
    func apply(_ event: SourceEvent, _ completion: @escaping @DBusActor (ListError?) -> Void)
}
