// SPDX-License-Identifier: Apache-2.0

/// What there is to say in the last line. Pure.
struct Notices: Equatable {
    /// The last message; the next key removes it.
    private(set) var message = ""
    /// Why what is shown may not be what the list is; stays until it is over.
    private(set) var condition = ""
    /// Whether listd is silent for longer than a person takes for granted.
    private(set) var isSilent = false

    /// What there is to say in place of which keys there are; empty when nothing.
    var matter: String { isSilent ? "listd does not answer" : message.isEmpty ? condition : message }
    /// Whether that is worth the only row there is.
    var isNews: Bool { isSilent || !message.isEmpty }
    /// Whether what there is to say is that something is wrong.
    var isWrong: Bool { isSilent || (message.isEmpty && !condition.isEmpty) }

    mutating func say(_ text: String) { message = text }
    mutating func setCondition(_ text: String) { condition = text }
    mutating func setSilent(_ isSilent: Bool) { self.isSilent = isSilent }
}
