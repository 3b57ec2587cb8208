// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// Whether a list is being removed or moved, and with which connection it ends.
@DBusActor
struct AdapterPresence {
    /// Whether it is being removed, or listd ends: events of its source are ignored.
    private(set) var isEnding = false
    /// Whether it is being removed: its host gets no new request, although the object is still on the bus.
    private(set) var isLeaving = false
    /// Whether it is about to get another path: new views and subscriptions are refused.
    private(set) var isMoving = false
    /// The connection with whose end the list is removed; nil = none.
    private(set) weak var creator: Peer?

    nonisolated init() {}

    /// Records that the source and the host are being ended.
    mutating func beginEnd() { isEnding = true }

    /// Records that the list is being removed and its host was told to end.
    mutating func leave() { isLeaving = true }

    /// Records that it is about to get another path.
    mutating func beginMove() { isMoving = true }

    /// Records that it has another path.
    mutating func endMove() { isMoving = false }

    /// Binds the list to a connection.
    mutating func setCreator(_ peer: Peer) { creator = peer }
}
