// SPDX-License-Identifier: Apache-2.0

/// Counts what clients have begun to send, while it is not complete.
@DBusActor
public protocol IncomingAccount: AnyObject {
    /// Keeps room for all of a message, when its header has come, until `release`; false = there is none now: the client is not
    /// read until `Server.retryUnfinishedMessages` is called, and then it is asked for again.
    ///
    /// It is not asked for small messages.
    func reserve(_ bytes: Int, for peer: Peer) -> Bool
    /// Gives the room back: the message is complete and is about to be handled, or never will be.
    func release(_ bytes: Int, of peer: Peer)
}
