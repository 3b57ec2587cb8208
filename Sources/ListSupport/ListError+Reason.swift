// SPDX-License-Identifier: Apache-2.0

internal import ListKit

extension ListError {
    /// The message with its cause, without the error code: for people who read the log or a property.
    package var reason: String { cause.map { "\(message) (\($0))" } ?? message }
}
