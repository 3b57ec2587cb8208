// SPDX-License-Identifier: Apache-2.0

/// A wrong command line; the message has the reason.
struct UsageError: Error, Equatable {
    let message: String
    /// The command whose help explains more.
    var command: String?
}
