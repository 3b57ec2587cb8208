// SPDX-License-Identifier: Apache-2.0

/// An account of the memory for messages that clients have begun to send and that are still incomplete.
@DBusActor
public protocol IncomingAccount: AnyObject {
    /// Reserves room for a whole message when its header has arrived, until `release`. Returns `false` when there is
    /// no room. The client is then not read until `Server.retryUnfinishedMessages`, which calls this again.
    ///
    /// Small messages are not reserved.
    func reserve(_ bytes: Int, for peer: Peer) -> Bool
    /// Releases reserved room. Called when the message is complete and about to be handled, or when its connection
    /// ends.
    func release(_ bytes: Int, of peer: Peer)
}
