// SPDX-License-Identifier: Apache-2.0

/// The messages for the last line. Makes no calls.
struct Notices: Equatable {
    /// The last message; the next key removes it.
    private(set) var message = ""
    /// Why the picture may differ from the list; stays until that ends.
    private(set) var condition = ""
    /// Whether listd has not answered for longer than a user expects.
    private(set) var isSilent = false

    /// The message that replaces the keys; empty when there is none.
    var matter: String { isSilent ? "listd does not answer" : message.isEmpty ? condition : message }
    /// Whether the message is worth the only row.
    var isNews: Bool { isSilent || !message.isEmpty }
    /// Whether the message is an error.
    var isWrong: Bool { isSilent || (message.isEmpty && !condition.isEmpty) }

    mutating func say(_ text: String) { message = text }
    mutating func setCondition(_ text: String) { condition = text }
    mutating func setSilent(_ isSilent: Bool) { self.isSilent = isSilent }
}
