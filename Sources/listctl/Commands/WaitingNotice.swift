// SPDX-License-Identifier: Apache-2.0

/// Reports what is being waited for, once until it is back.
struct WaitingNotice {
    /// The bus or the daemon.
    enum Missing: Equatable {
        case bus
        case listd
        case answer
    }

    private var reported: Missing?

    /// Records that both are there.
    mutating func end() { reported = nil }

    /// Records that one is away; the bus with the reason.
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
