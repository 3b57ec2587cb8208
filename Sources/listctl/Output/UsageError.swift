// SPDX-License-Identifier: Apache-2.0

/// An error in the command line. The message says what is wrong.
struct UsageError: Error, Equatable {
    let message: String
    /// The command whose help the message refers to.
    var command: String?
}
