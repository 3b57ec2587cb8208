// SPDX-License-Identifier: Apache-2.0

/// A command line that cannot be understood; the message says why.
struct UsageError: Error, Equatable {
    let message: String
    /// The command that the line was meant for, whose help says more.
    var command: String?
}
