// SPDX-License-Identifier: Apache-2.0

/// The message that says what the program waits for. It is printed once for each wait.
struct WaitingNotice {
    /// What the program waits for.
    enum Missing: Equatable {
        case bus
        case listd
        case answer
    }

    private var reported: Missing?

    /// Records that the wait has ended.
    mutating func end() { reported = nil }

    /// Prints what the program waits for, unless that was the last message.
    ///
    /// - Parameter reason: why the bus is missing; not used otherwise.
    mutating func report(_ missing: Missing, _ reason: String = "") {
        guard missing != reported else { return }
        reported = missing
        switch missing {
        case .bus: Output.printMessage("waiting for the bus: \(reason)")
        case .listd: Output.printMessage("waiting for listd")
        case .answer: Output.printMessage("listd does not answer; trying again")
        }
    }
}
