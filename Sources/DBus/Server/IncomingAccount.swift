// SPDX-License-Identifier: Apache-2.0

/// An account of the memory for messages that clients have begun to send and that are still incomplete.
@DBusActor
public protocol IncomingAccount: AnyObject {
    /// Reserves room for a whole message, until `release`. Called when the header of the message has arrived.
    ///
    /// Returns `false` when there is no room. The server then stops reading from the client until
    /// `Server.retryUnfinishedMessages`, which calls this function again.
    ///
    /// Small messages are not reserved.
    func reserve(_ bytes: Int, for peer: Peer) -> Bool
    /// Releases reserved room. Called when the message is complete and about to be handled, or when its connection
    /// ends.
    func release(_ bytes: Int, of peer: Peer)
}
