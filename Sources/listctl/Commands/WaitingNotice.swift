// SPDX-License-Identifier: Apache-2.0

/// Says what is being waited for, once as long as it stays away.
struct WaitingNotice {
    /// What may be away.
    enum Missing: Equatable {
        case bus
        case listd
        case answer
    }

    private var reported: Missing?

    /// Nothing is away any more.
    mutating func end() { reported = nil }

    /// Something is away; a bus with the reason.
    mutating func report(_ missing: Missing, _ reason: String = "") {
        guard missing != reported else { return }
        reported = missing
        switch missing {
        case .bus: Output.complain("waiting for the bus: \(reason)")
        case .listd: Output.complain("waiting for listd")
        case .answer: Output.complain("listd does not answer; trying again")
        }
    }
}
