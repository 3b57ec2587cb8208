// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// Whether a list is being removed or moved, and to which connection it is bound.
@DBusActor
struct AdapterPresence {
    /// Whether the list is being removed, or listd is stopping; events of the source are ignored.
    private(set) var isEnding = false
    /// Whether the list is being removed: its host gets no new requests, although the object is still on the bus.
    private(set) var isLeaving = false
    /// Whether the list's path is about to change; new views and subscriptions are refused.
    private(set) var isMoving = false
    /// The connection that the list is bound to: the list is removed when this connection ends; nil = none.
    private(set) weak var creator: Peer?

    nonisolated init() {}

    /// Records that the source and the host are being ended.
    mutating func beginEnd() { isEnding = true }

    /// Records that the list is being removed and its host was told to end.
    mutating func beginRemoval() { isLeaving = true }

    /// Records that the list's path is about to change.
    mutating func beginMove() { isMoving = true }

    /// Records that the list's path has changed.
    mutating func endMove() { isMoving = false }

    /// Binds the list to a connection.
    mutating func setCreator(_ peer: Peer) { creator = peer }
}
