// SPDX-License-Identifier: Apache-2.0

/// Counts messages that clients have begun to send, while they are incomplete.
@DBusActor
public protocol IncomingAccount: AnyObject {
    /// Reserves room for all of a message, when its header has arrived, until `release`; false = there is none now: the
    /// client is not read until `Server.retryUnfinishedMessages` is called, which asks again.
    ///
    /// It is not called for small messages.
    func reserve(_ bytes: Int, for peer: Peer) -> Bool
    /// Releases the room: the message is complete and is about to be handled, or never will be.
    func release(_ bytes: Int, of peer: Peer)
}
