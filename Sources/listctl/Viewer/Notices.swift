// SPDX-License-Identifier: Apache-2.0

/// The messages for the status line. It makes no calls.
struct Notices: Equatable {
    /// The last message. The next key removes it.
    private(set) var message = ""
    /// The reason why the picture may differ from the list, which is shown until it no longer applies.
    private(set) var condition = ""
    /// Whether listd has not answered for longer than a user expects.
    private(set) var isSilent = false

    /// The text that is shown in place of the keys; empty when there is no message.
    var text: String { isSilent ? "listd does not answer" : message.isEmpty ? condition : message }
    /// Whether the text replaces the list on a terminal with a single row.
    var hasPriority: Bool { isSilent || !message.isEmpty }
    /// Whether the text is an error.
    var isError: Bool { isSilent || (message.isEmpty && !condition.isEmpty) }

    mutating func setMessage(_ text: String) { message = text }
    mutating func setCondition(_ text: String) { condition = text }
    mutating func setSilent(_ isSilent: Bool) { self.isSilent = isSilent }
}
